"""How fast one dispatcher moves reminders, beside one SQL statement a batch that writes the same rows."""
