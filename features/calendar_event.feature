Feature: Calendar events and their reminders
  Planned, changed, moved, started, completed, cancelled: what becomes of an event changes its Pending
  reminders in the same commit.

  Background:
    Given it is 09:00

  Scenario: A planned event has a Pending reminder for each trigger
    Given an event "call" at 12:00 with the triggers start-15m and start-60m
    Then "call" is Planned
    And the reminders of "call" are
      | due   | status  | reason |
      | 11:00 | Pending |        |
      | 11:45 | Pending |        |

  Scenario: A trigger that is named twice makes one reminder
    Given an event "call" at 12:00 with the triggers start-15m and start-15m
    Then the reminders of "call" are
      | due   | status  | reason |
      | 11:45 | Pending |        |

  Scenario: A time that has passed when the event is planned is skipped, visibly, and never sent
    Given an event "call" at 10:00 on 2026-06-02 with the triggers start-4320m and start-60m
    Then the reminders of "call" are
      | due                 | status  | reason |
      | 10:00 on 2026-05-30 | Skipped | past   |
      | 09:00 on 2026-06-02 | Pending |        |
    When a cycle runs
    Then the cycle sent 0, skipped 0 and passed over 0

  Scenario: A reminder at the start itself is one with offset 0
    Given an event "call" at 12:00 with the triggers start-0m
    And it is 12:00:01
    When a cycle runs
    Then the reminder of "call" is Sent at 12:00:01

  Scenario: Planning the same event again does nothing
    Given an event "call" at 12:00 with a reminder 15 minutes before
    When "call" is planned again
    Then nothing happened
    And the reminders of "call" are
      | due   | status  | reason |
      | 11:45 | Pending |        |

  Rule: a change keeps what it does not touch

    Scenario: Another trigger withdraws the old reminder and makes the new one in one commit
      Given an event "call" at 12:00 with the triggers start-60m
      When the triggers of "call" become start-30m
      Then the reminders of "call" are
        | due   | status  | reason    |
        | 11:00 | Skipped | withdrawn |
        | 11:30 | Pending |           |

    Scenario: A trigger that stays keeps its reminder under its id
      Given an event "call" at 12:00 with the triggers start-60m
      When the triggers of "call" become start-15m and start-60m
      Then the reminders of "call" are
        | due   | status  | reason |
        | 11:00 | Pending |        |
        | 11:45 | Pending |        |
      And the reminder due at 11:00 has the id that it had

    Scenario: Another owner is told, and the former one is not
      Given an event "call" at 10:00 with a reminder 15 minutes before
      When the owner of "call" becomes "Vera"
      And it is 09:46
      And a cycle runs
      Then the message of "call" names "Vera" as the owner

    Scenario: A client who is taken off is not told
      Given an event "call" titled "Review" at 10:00 with a client, an appointment and a reminder 15 minutes before
      When the client is taken off "call"
      And it is 09:46
      And a cycle runs
      Then the message of "call" names no client

    Scenario: Another zone keeps the wall clock and moves the reminders
      Given an event "call" at 10:00 on 2026-06-02 in Europe/Madrid with the trigger start-15m
      When the zone of "call" becomes America/Bogota
      Then "call" starts at 15:00 on 2026-06-02
      And the reminders of "call" are
        | due                 | status  | reason |
        | 07:45 on 2026-06-02 | Skipped | moved  |
        | 14:45 on 2026-06-02 | Pending |        |

    Scenario: A change to what is already so does nothing
      Given an event "call" at 12:00 with a reminder 15 minutes before
      When the triggers of "call" become start-15m
      Then nothing happened

  Rule: a move takes the reminders with it

    Scenario: A move to a later hour skips the old reminder and makes one for the new hour
      Given an event "call" at 10:00 with a reminder 15 minutes before
      When "call" is moved to 15:00
      Then the reminders of "call" are
        | due   | status  | reason |
        | 09:45 | Skipped | moved  |
        | 14:45 | Pending |        |

    Scenario: A move after the reminder was sent promises another for the new hour
      Given an event "call" at 10:00 with a reminder 15 minutes before
      And its reminder was sent
      When "call" is moved to 15:00
      Then the reminders of "call" are
        | due   | status  | reason |
        | 09:45 | Sent    |        |
        | 14:45 | Pending |        |

    Scenario: A move so near that the reminder's time has passed leaves it skipped as past
      Given an event "call" at 12:00 with a reminder 15 minutes before
      When "call" is moved to 09:10
      Then the reminders of "call" are
        | due   | status  | reason |
        | 08:55 | Skipped | past   |
        | 11:45 | Skipped | moved  |

    Scenario: A move waits for the rows of lost reminders to be made again
      Given an event "call" at 10:00 with a reminder 15 minutes before
      And the row of the reminder of "call" is gone
      When "call" is moved to 15:00
      Then ROW-3 refuses
      When the rows are rebuilt
      And "call" is moved to 15:00
      Then the reminders of "call" are
        | due   | status  | reason |
        | 09:45 | Skipped | moved  |
        | 14:45 | Pending |        |

    Scenario: A move keeps the length of the event
      Given an event "call" from 10:00 to 10:45 with a reminder 15 minutes before
      When "call" is moved to 15:00
      Then "call" ends at 15:45

    Scenario: A later end alone leaves a reminder that is due this very minute to be sent
      Given an event "call" from 10:00 to 10:45 with a reminder 15 minutes before
      And it is 09:45:30
      When "call" is moved to end at 11:30
      And a cycle runs
      Then the reminders of "call" are
        | due   | status | reason |
        | 09:45 | Sent   |        |

    Scenario: A move to where it is already does nothing
      Given an event "call" at 10:00 with a reminder 15 minutes before
      When "call" is moved to 10:00
      Then nothing happened

  Rule: the end of an event is the end of its reminders

    Scenario Outline: An event that is <told> leaves nothing Pending
      Given an event "call" at 12:00 with the triggers start-15m and start-60m
      When "call" is <told>
      Then "call" is <status>
      And the reminders of "call" are
        | due   | status  | reason   |
        | 11:00 | Skipped | <reason> |
        | 11:45 | Skipped | <reason> |
      And the outbox is empty

      Examples:
        | told      | status    | reason    |
        | cancelled | Cancelled | cancelled |
        | completed | Completed | completed |

    Scenario: An event that is started keeps its reminders
      Given an event "call" at 12:00 with a reminder 15 minutes before
      When "call" is started
      Then "call" is InProgress
      And the reminders of "call" are
        | due   | status  | reason |
        | 11:45 | Pending |        |

  Rule: INV-EVT-1 a command needs an event that was planned

    Scenario Outline: An unknown event cannot be <told>
      When an event that nobody planned is <told>
      Then INV-EVT-1 refuses

      Examples:
        | told           |
        | cancelled      |
        | completed      |
        | started        |
        | moved to 12:00 |

  Rule: INV-EVT-2 a completed or cancelled event never changes

    Scenario Outline: An event that was <before> and is then <told>: <outcome>
      Given an event "call" at 12:00 with a reminder 15 minutes before
      And "call" is <before>
      When "call" is <told>
      Then <outcome>
      And "call" is <status>

      Examples:
        | before    | told           | status    | outcome           |
        | cancelled | moved to 15:00 | Cancelled | INV-EVT-2 refuses |
        | cancelled | started        | Cancelled | INV-EVT-2 refuses |
        | cancelled | completed      | Cancelled | INV-EVT-2 refuses |
        | cancelled | cancelled      | Cancelled | nothing happened  |
        | completed | moved to 15:00 | Completed | INV-EVT-2 refuses |
        | completed | started        | Completed | INV-EVT-2 refuses |
        | completed | cancelled      | Completed | INV-EVT-2 refuses |
        | completed | completed      | Completed | nothing happened  |
        | started   | started        | InProgress | nothing happened |
