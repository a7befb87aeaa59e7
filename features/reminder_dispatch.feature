Feature: ReminderDispatchJob
  Once a minute a cycle takes the reminders that are due, decides each by its event, and commits the rows and
  their messages together. T-RDJ-1 to T-RDJ-8 are the specification's table of tests, in its order; each carries
  its row in the product owner's words.

  Background:
    Given it is 09:00

  Scenario: T-RDJ-1 Empty batch: nothing is due, and the cycle succeeds and changes nothing
    Тест: Empty batch
    Ожидание: Нет Pending с DueAt < now → no-op success, событий/мутаций нет

    Given an event "call" at 10:00 with a reminder 15 minutes before
    And it is 09:44
    When a cycle runs
    Then the cycle sent 0, skipped 0 and passed over 0
    And nothing was written by the cycle
    And the outbox is empty

  Scenario: T-RDJ-2 A due reminder of a planned event is sent and told once
    Тест: Наступившее напоминание
    Ожидание: Pending при DueAt < now, событие Planned → Sent, SentAt = now, ровно одно reminder-due в outbox

    Given an event "call" at 10:00 with a reminder 15 minutes before
    And it is 09:45:30
    When a cycle runs
    Then the cycle sent 1, skipped 0 and passed over 0
    And the reminder of "call" is Sent at 09:45:30
    And the outbox holds exactly one message for each sent reminder

  Scenario: T-RDJ-3 A due reminder of a cancelled event is skipped, and nobody is told
    Тест: Отменённое событие
    Ожидание: Pending-строка события Cancelled (каскад не успел/replay) → Skipped, публикации нет

    Given an event "call" at 10:00 with a reminder 15 minutes before
    And the row of "call" was made Cancelled from outside, and its reminders were not told
    And it is 09:46
    When a cycle runs
    Then the cycle sent 0, skipped 1 and passed over 0
    And the reminder of "call" is Skipped as cancelled
    And the outbox is empty

  Scenario Outline: T-RDJ-4 Partial failure: a poison row that <fails> is left out, and the rest commits
    Тест: Partial failure
    Ожидание: Poison-строка исключена и залогирована, остальной батч закоммичен; poison — на следующий цикл

    Given an event "poison" at 10:00 with a reminder 20 minutes before
    And 5 events at 10:00 with a reminder 15 minutes before
    And the reminder of "poison" <fails>
    And it is 09:46
    When a cycle runs
    Then the cycle sent 5, skipped 0 and passed over 0
    And 1 due reminder is still Pending
    And one ERROR names the reminder and the event of "poison"
    When it is 09:47
    And a cycle runs
    Then the cycle sent 0, skipped 0 and passed over 0
    And one ERROR names the reminder and the event of "poison"
    When what was spoilt is mended
    And a cycle runs
    Then the reminder of "poison" is Sent at 09:47
    And the outbox holds exactly one message for each sent reminder

    Examples:
      | fails                             |
      | makes no sense                    |
      | has an event that makes no sense  |
      | is refused by the store           |

  Scenario: T-RDJ-5 Parallel instances share the rows, and each row goes to one of them
    Тест: Duplicate / параллельные инстансы
    Ожидание: SKIP LOCKED — каждая строка обработана один раз, ровно одно событие на строку

    Given 120 events at 10:00 with a reminder 15 minutes before
    And batches of 10
    And it is 09:46
    When 4 instances run cycles at once until nothing is due
    Then all 120 reminders are Sent
    And the instances together sent 120
    And each reminder was sent once in its history
    And the outbox holds exactly one message for each sent reminder

  Scenario: T-RDJ-5 An instance steps over the rows that another one holds, and waits for nobody
    Тест: Duplicate / параллельные инстансы
    Ожидание: SKIP LOCKED — каждая строка обработана один раз, ровно одно событие на строку

    Given 6 events at 10:00 with a reminder 15 minutes before
    And batches of 4
    And it is 09:46
    When a cycle runs, and between its read and its write another instance runs a whole cycle
    Then the cycle sent 4, skipped 0 and passed over 0
    And the other instance's cycle sent 2, skipped 0 and passed over 4
    And each reminder was sent once in its history
    And the outbox holds exactly one message for each sent reminder

  Scenario: T-RDJ-6 Race with a cancel by Tickler itself: it commits between the cycle's read and its write
    Тест: Гонка с отменой события
    Ожидание: Отмена закоммичена между чтением и записью worker-а → конфликт разрешается перечиткой: терминальная строка не отправляется

    Tickler's own cancel holds the event and its reminders from its first statement to its commit, so the
    cycle can only step over them; it never waits.

    Given an event "call" at 10:00 with a reminder 15 minutes before
    And an event "other" at 10:00 with a reminder 15 minutes before
    And it is 09:46
    When somebody's cancel of "call" holds its rows, a cycle reads, the cancel commits, and the cycle writes
    Then the cycle sent 1, skipped 0 and passed over 0
    And the reminder of "other" is Sent at 09:46
    And the reminder of "call" is Skipped as cancelled
    And the outbox holds exactly one message for each sent reminder
    When a cycle runs
    Then nothing was written by the cycle

  Scenario Outline: T-RDJ-6 Race with a cancel from outside: the event's row alone changes between read and write
    Тест: Гонка с отменой события
    Ожидание: Отмена закоммичена между чтением и записью worker-а → конфликт разрешается перечиткой: терминальная строка не отправляется

    Given an event "call" at 10:00 with a reminder 15 minutes before
    And an event "other" at 10:00 with a reminder 15 minutes before
    And it is 09:46
    When a cycle runs, and between its read and its write the row of "call" is made Cancelled from outside, <with or without> a new version
    Then the cycle sent 1, skipped 0 and passed over 0
    And the reminder of "other" is Sent at 09:46
    And the reminder of "call" is Pending
    And the outbox holds exactly one message for each sent reminder
    When a cycle runs
    Then the reminder of "call" is Skipped as cancelled
    And the outbox holds exactly one message for each sent reminder

    Examples:
      | with or without |
      | with            |
      | without         |

  Scenario: T-RDJ-7 A stop while a cycle runs lets its batch commit whole and begins no other
    Тест: Cancellation
    Ожидание: остановка во время цикла → батч докоммичен или откачен целиком, блокировки сняты, graceful stop

    Given 5 events at 10:00 with a reminder 15 minutes before
    And batches of 3
    And it is 09:46
    When a tick runs, and a stop is asked for between the read and the write of its first cycle
    Then the tick ended after 1 cycle
    And 3 reminders are Sent and 2 are Pending
    And no row is locked
    And the outbox holds exactly one message for each sent reminder

  Scenario: T-RDJ-7 A stop that cuts a cycle short in its write rolls the batch back whole
    Тест: Cancellation
    Ожидание: остановка во время цикла → батч докоммичен или откачен целиком, блокировки сняты, graceful stop

    Given 5 events at 10:00 with a reminder 15 minutes before
    And batches of 3
    And it is 09:46
    When a cycle is cut short in its write by a stop
    Then the cycle ended as Unavailable
    And all 5 reminders are Pending
    And no row is locked
    And nothing was written by the cycle
    And the outbox is empty

  Scenario: T-RDJ-8 SLO: what is due at t leaves by t + 60 s and a cycle's duration, within two minutes
    Тест: SLO точности
    Ожидание: Строка с DueAt = t уходит не позже t + 60 с + DurationCycle; lateness_seconds в пределах SLO ≤ 2 мин

    Given 41 events, one every 7 seconds from 09:20, with a reminder 15 minutes before
    And each cycle takes 20 seconds
    And it is 09:04:30
    When the job runs until 09:12
    Then all 41 reminders are Sent
    And each left within 80 seconds of its DueAt
    And each was sent less than 120 seconds after its DueAt
    And no two cycles overlapped

  Rule: what a cycle takes

    Scenario: A reminder whose DueAt is the cycle's very AsOf waits for the next cycle
      Given an event "call" at 10:00 with a reminder 15 minutes before
      And it is 09:45:00
      When a cycle runs
      Then the reminder of "call" is Pending
      And the cycle sent 0, skipped 0 and passed over 0
      And no ERROR was told
      When it is 09:45:00.000001
      And a cycle runs
      Then the reminder of "call" is Sent at 09:45:00.000001

    Scenario: The most overdue leave first, in whatever order they were made
      Given an event "third" at 10:30 with a reminder 15 minutes before
      And an event "first" at 10:00 with a reminder 15 minutes before
      And an event "second" at 10:10 with a reminder 15 minutes before
      And batches of 2
      And it is 10:20
      When a cycle runs
      Then the cycle sent 2, skipped 0 and passed over 0
      And the reminder of "first" is Sent at 10:20
      And the reminder of "second" is Sent at 10:20
      And the reminder of "third" is Pending
      And the messages in the outbox are those of "first" and "second" in this order

    Scenario: Without a wish of another kind a batch is of 200 rows
      Given 201 events at 10:00 with a reminder 15 minutes before
      And it is 09:46
      When a cycle runs
      Then the cycle sent 200, skipped 0 and passed over 0
      When a cycle runs
      Then the cycle sent 1, skipped 0 and passed over 0

    Scenario: A backlog is worked off by the ticks that follow
      Given 25 events at 10:00 with a reminder 15 minutes before
      And batches of 10
      And catching up is off
      And it is 09:46
      When 4 ticks run
      Then the cycles sent 10, 10, 5 and 0

    Scenario: A backlog is worked off at once by cycles of their own, unless that is turned off
      Given 25 events at 10:00 with a reminder 15 minutes before
      And batches of 10
      And it is 09:46
      When 1 tick runs
      Then the cycles sent 10, 10 and 5
      And each cycle had a run id of its own

    Scenario: Terminal rows are never taken again
      Given an event "sent" at 10:00 with a reminder 15 minutes before
      And an event "skipped" at 10:00 with a reminder 15 minutes before
      And "skipped" is cancelled
      And it is 09:46
      When a cycle runs
      And a cycle runs
      Then nothing was written by the cycle
      And the cycle sent 0, skipped 0 and passed over 0

    Scenario: One job serves all tenants
      Given an event "ours" of tenant "north" at 10:00 with a reminder 15 minutes before
      And an event "theirs" of tenant "south" at 10:00 with a reminder 15 minutes before
      And it is 09:46
      When a cycle runs
      Then the reminder of "ours" is Sent at 09:46
      And the reminder of "theirs" is Sent at 09:46

    Scenario: Rows that a change in flight holds are passed over and counted
      Given an event "call" at 10:00 with a reminder 15 minutes before
      And it is 09:46
      When a cycle runs while somebody's move of "call" to 12:00 holds its rows
      Then the cycle sent 0, skipped 0 and passed over 1
      And the reminders of "call" are
        | due   | status  | reason |
        | 09:45 | Skipped | moved  |
        | 11:45 | Pending |        |
      And the outbox is empty

    Scenario: Poison rows at the head of the queue neither starve the healthy ones nor spin
      Given 7 events at 10:00 with a reminder 20 minutes before
      And their reminders are refused by the store
      And 7 events at 10:00 with a reminder 15 minutes before
      And batches of 3
      And it is 09:46
      When 1 tick runs
      Then the cycles sent 3, 3 and 1
      And 7 reminders are Sent and 7 are Pending
      And each poison row was named by one ERROR in the tick
      When it is 09:47
      And 1 tick runs
      Then each poison row was named by one ERROR in the tick

  Rule: what becomes of a row is decided by its event

    Scenario Outline: The reminder of an event that is <status> is <outcome>
      Given an event "call" at 10:00 with a reminder 15 minutes before
      And the row of "call" was made <status> from outside, and its reminders were not told
      And it is 09:46
      When a cycle runs
      Then the reminder of "call" is <outcome>
      And the outbox holds exactly one message for each sent reminder

      Examples:
        | status     | outcome              |
        | Planned    | Sent at 09:46        |
        | InProgress | Sent at 09:46        |
        | Completed  | Skipped as completed |
        | Cancelled  | Skipped as cancelled |

    Scenario: What is found later than a grace is skipped as stale, where a grace is set
      Given an event "long ago" at 10:00 with a reminder 15 minutes before
      And an event "just now" at 12:30 with a reminder 15 minutes before
      And a grace of 60 minutes
      And it is 12:16
      When a cycle runs
      Then the reminder of "long ago" is Skipped as stale
      And the reminder of "just now" is Sent at 12:16

    Scenario: Without a grace nothing is ever too late
      Given an event "long ago" at 10:00 with a reminder 15 minutes before
      And it is 12:16 on 2026-06-03
      When a cycle runs
      Then the reminder of "long ago" is Sent at 12:16 on 2026-06-03

    Scenario: A cancel that comes when the cycle holds the row waits, and follows it
      Given an event "call" at 10:00 with a reminder 15 minutes before
      And it is 09:46
      When a cycle runs, and between its read and its write somebody begins to cancel "call"
      Then the cycle sent 1, skipped 0 and passed over 0
      And the reminder of "call" is Sent at 09:46
      And "call" is Cancelled
      And the outbox holds exactly one message for each sent reminder

  Rule: what a cycle writes

    Scenario: The message is the contract's: ids, times and closed lists, and nothing about people
      Given an event "call" titled "Biopsy results of Anna K." at 10:00 with a client, an appointment and a reminder 15 minutes before
      And it is 09:46
      When a cycle runs
      Then the message of "call" goes to topic pin.calendar.reminder-due.v1 under the event's id as its key
      And the message of "call" holds exactly these fields
        | field           | value                |
        | contractVersion | 1                    |
        | reminderId      | the reminder's id    |
        | eventId         | the event's id       |
        | tenantId        | the tenant's id      |
        | ownerUserId     | the owner's id       |
        | clientUserId    | the client's id      |
        | kind            | appointment          |
        | startAt         | 10:00                |
        | timeZone        | UTC                  |
        | offsetMinutes   | 15                   |
        | appointmentId   | the appointment's id |

    Scenario: The run id of the cycle is on its rows' history and on its messages
      Given an event "call" at 10:00 with a reminder 15 minutes before
      And it is 09:46
      When a cycle runs
      Then the history of "call"'s reminder ends with the cycle's run id and the actor system
      And the message of "call" carries the cycle's run id

    Scenario: A failure of the store rolls the batch back, and the next cycle sends it
      Given 3 events at 10:00 with a reminder 15 minutes before
      And it is 09:46
      When a cycle runs, and the store fails before its commit
      Then the cycle ended as Unavailable
      And all 3 reminders are Pending
      And no row is locked
      And the outbox is empty
      When a cycle runs
      Then all 3 reminders are Sent
      And the outbox holds exactly one message for each sent reminder

    Scenario: A restart neither loses a reminder nor sends one twice
      Given 5 events at 10:00 with a reminder 15 minutes before
      And batches of 3
      And it is 09:46
      When a cycle runs
      And Tickler is restarted
      And a cycle runs
      And Tickler is restarted
      And a cycle runs
      Then nothing was written by the cycle
      And all 5 reminders are Sent
      And each reminder was sent once in its history
      And the outbox holds exactly one message for each sent reminder

  Rule: when cycles run

    Scenario: An idle job looks once a minute, at the whole minutes of the UTC clock
      Given it is 09:00:20
      When the job runs until 09:05
      Then cycles began at 09:00:20, 09:01:00, 09:02:00, 09:03:00 and 09:04:00

    Scenario: A cycle that takes longer than the cadence drops ticks and overlaps with none
      Given an event "call" at 10:00 with a reminder 15 minutes before
      And each cycle takes 80 seconds
      And it is 09:45:30
      When the job runs until 09:49
      Then cycles began at 09:45:30 and 09:47:00
      And no two cycles overlapped

    Scenario: A burst of more than a batch still leaves within a minute and the cycles' duration
      Given 25 events at 10:00 with a reminder 15 minutes before
      And batches of 10
      And each cycle takes 1 second
      And it is 09:44:30
      When the job runs until 09:48
      Then all 25 reminders are Sent
      And each left within 63 seconds of its DueAt

  Rule: INV-REM-1 due_at follows from the trigger and the event's start alone

    Scenario Outline: An event at <start> in <zone> with a reminder <trigger> is due at <due>
      Given an event "call" at <start> in <zone> with the trigger <trigger>
      Then a reminder of "call" is due at <due>

      Examples: minutes are exact, days keep the wall clock
        | start               | zone          | trigger          | due                 |
        | 10:00 on 2026-07-01 | UTC           | start-15m        | 09:45 on 2026-07-01 |
        | 10:00 on 2026-07-01 | Europe/Berlin | start-0m         | 08:00 on 2026-07-01 |
        | 10:00 on 2027-03-28 | Europe/Berlin | start-1440m      | 08:00 on 2027-03-27 |
        | 10:00 on 2027-03-28 | Europe/Berlin | start-1d         | 09:00 on 2027-03-27 |
        | 10:00 on 2026-10-25 | Europe/Berlin | start-1440m      | 09:00 on 2026-10-24 |
        | 10:00 on 2026-10-25 | Europe/Berlin | start-1d         | 08:00 on 2026-10-24 |
        | 10:00 on 2026-07-02 | Europe/Berlin | start-1d@18:30   | 16:30 on 2026-07-01 |

      Examples: a wall time left out moves forward by the gap, one that comes twice means the first
        | start               | zone          | trigger  | due                 |
        | 02:30 on 2027-03-28 | Europe/Berlin | start-0m | 01:30 on 2027-03-28 |
        | 02:30 on 2026-10-25 | Europe/Berlin | start-0m | 00:30 on 2026-10-25 |

  Rule: INV-REM-2 Sent and Skipped are terminal

    Scenario Outline: A reminder that was <before> stays as it was when its event is then <told>
      Given an event "call" at 10:00 with a reminder 15 minutes before
      And its reminder was <before>
      When "call" is <told>
      Then that reminder is as it was

      Examples:
        | before  | told              |
        | sent    | cancelled         |
        | sent    | completed         |
        | sent    | moved to 12:00    |
        | sent    | left without reminders |
        | skipped | cancelled         |
        | skipped | completed         |
        | skipped | moved to 12:00    |
        | skipped | left without reminders |

  Rule: INV-REM-3 sent_at is set if and only if Sent, and is the AsOf of the cycle that sent it

    Scenario: Of three reminders only the sent one has a time of sending, the cycle's
      Given an event "sent" at 10:00 with a reminder 15 minutes before
      And an event "waiting" at 12:00 with a reminder 15 minutes before
      And an event "called off" at 10:00 with a reminder 15 minutes before
      And "called off" is cancelled
      And each cycle takes 20 seconds
      And it is 09:46
      When a cycle runs
      Then the reminder of "sent" is Sent at 09:46
      And the reminder of "waiting" has no time of sending
      And the reminder of "called off" has no time of sending

  Rule: INV-REM-4 a reminder is sent only on a version of its event that is open

    Scenario: What was sent names the version of the event on which it was decided
      Given an event "call" at 10:00 with a reminder 15 minutes before
      And "call" is started
      And it is 09:46
      When a cycle runs
      Then the history of "call"'s reminder ends with Sent on version 2 of its event

    Scenario: A version that changed between read and write is not sent upon, though the event stays open
      Given an event "call" at 10:00 with a reminder 15 minutes before
      And it is 09:46
      When a cycle runs, and between its read and its write the row of "call" is made InProgress from outside, with a new version
      Then the cycle sent 0, skipped 0 and passed over 0
      And the reminder of "call" is Pending
      When a cycle runs
      Then the reminder of "call" is Sent at 09:46
      And the history of "call"'s reminder ends with Sent on version 2 of its event

  Rule: INV-REM-5 exactly one ReminderDueEvent in the outbox per Sent reminder, in the same commit

    Scenario: Rows and messages become visible together
      Given 3 events at 10:00 with a reminder 15 minutes before
      And it is 09:46
      When a cycle runs, and everybody else looks before its commit
      Then they saw 0 Sent reminders and 0 messages
      And all 3 reminders are Sent
      And the outbox holds exactly one message for each sent reminder

  Rule: INV-REM-6 at most one Pending reminder per event and trigger

    Scenario: A move skips the old reminder and makes a new one; a move back does so again
      Given an event "call" at 10:00 with a reminder 15 minutes before
      When "call" is moved to 15:00
      And "call" is moved to 10:00
      Then the reminders of "call" are
        | due   | status  | reason |
        | 09:45 | Skipped | moved  |
        | 09:45 | Pending |        |
        | 14:45 | Skipped | moved  |
      And all of them have ids of their own

    Scenario: Two who move an event at once leave one Pending reminder
      Given an event "call" at 10:00 with a reminder 15 minutes before
      When 2 people move "call" at once, to 12:00 and to 15:00
      Then "call" has one Pending reminder, 15 minutes before its start
