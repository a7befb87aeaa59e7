"""An iCalendar file (RFC 5545) is read into drafts, and these are put into the calendar."""
