Feature: Why something stands where it stands
  `tickler why ID` says of an event, a reminder, a delivery, a touch or a plan where it stands, since when, what
  it waits for, and what will happen next and when. ID stands here for what was asked about, EVENT for its event
  and OTHER for another id. No address is ever in it.

  Background:
    Given it is 09:00
    And "Olga" is a person with the address "olga" on the channel recording

  Rule: A reminder that is Pending

    Scenario: A reminder waits for its time, which is told in its event's zone
      Given it is 07:10
      And an event "call" of "Olga" at 10:00 in Europe/Berlin with a reminder 15 minutes before
      Then why says of the reminder of "call"
        """
        Reminder ID is Pending: it leaves at the first cycle after 2026-06-01 09:45 Europe/Berlin, at the
        latest about 60 s later.
        """
      And it stands so as waits_for_its_time, until 07:45

    Scenario: Its time has come, and the next cycle is still to come
      Given an event "call" of "Olga" at 10:00 with a reminder 15 minutes before
      And it is 09:45:20
      Then why says of the reminder of "call"
        """
        Reminder ID is Pending and due since 2026-06-01 09:45 UTC: it leaves at the next cycle, by about
        2026-06-01 09:46 UTC.
        """
      And it stands so as due

    Scenario: No cycle came, or those that came failed
      Given an event "call" of "Olga" at 10:00 with a reminder 15 minutes before
      And an event "talk" of "Olga" at 10:00 with a reminder 14 minutes before
      And it is 09:58
      Then why says of the reminder of "call"
        """
        Reminder ID is Pending and overdue: it was due at 2026-06-01 09:45 UTC and should have left by
        about 2026-06-01 09:46 UTC, 12 min ago, but no cycle has taken it. Look whether `tickler run` is
        running with its dispatch loop; if it is, its log says what goes wrong. It leaves at the first
        cycle that succeeds; 2 reminders are due by now.
        """
      And it stands so as overdue

    Scenario: A cycle holds it at this moment
      Given an event "call" of "Olga" at 10:00 with a reminder 15 minutes before
      And it is 09:45:20
      Then why says of the reminder of "call", while a cycle holds it
        """
        Reminder ID is Pending and due since 2026-06-01 09:45 UTC. At this moment somebody holds it: a
        cycle that is sending it, or a change to its event. When they are done it has left or is skipped,
        or the next cycle, within about 60 s, takes it.
        """
      And it stands so as held

    Scenario: Its row makes no sense
      Given an event "call" of "Olga" at 10:00 with a reminder 15 minutes before
      And the reminder of "call" makes no sense
      And it is 09:46
      When a cycle runs
      Then why says of that reminder that it cannot be read
      And it stands so as poison

    Scenario: The row of its event makes no sense
      Given an event "call" of "Olga" at 10:00 with a reminder 15 minutes before
      And the reminder of "call" has an event that makes no sense
      And it is 09:46
      When a cycle runs
      Then why says of the reminder of "call" that its event cannot be read
      And it stands so as poison

    Scenario: The row of its event is gone
      Given an event "call" of "Olga" at 10:00 with a reminder 15 minutes before
      And the row of the event of "call" is gone
      And it is 09:46
      When a cycle runs
      Then why says of the reminder of "call"
        """
        Reminder ID is Pending, with 2026-06-01 09:45 UTC as its time, and cannot be sent: its event EVENT
        is not there. The dispatch leaves it out and logs an error that names it, once a tick, until that is
        mended; the others leave as ever. `tickler rebuild` makes the row again from its history.
        """
      And it stands so as poison

    Scenario: Its event was cancelled behind its back
      Given an event "call" of "Olga" at 10:00 with a reminder 15 minutes before
      And the row of "call" was made Cancelled from outside, and its reminders were not told
      Then why says of the reminder of "call"
        """
        Reminder ID is Pending, but will be skipped and not sent at the first cycle after 2026-06-01 09:45
        UTC: its event was cancelled.
        """
      And it stands so as will_be_skipped, until 09:45

    Scenario: Its row says that it was sent, and nothing was
      Given an event "call" of "Olga" at 10:00 with a reminder 15 minutes before
      And the row of the reminder of "call" was made Sent from outside
      Then why says of the reminder of "call"
        """
        Reminder ID cannot be believed: its row says Sent, and its history says Pending; they differ in when
        it was sent too. `tickler rebuild` mends it.
        """
      And it stands so as drifted

    Scenario: Its row was put off, and nobody moved its event
      Given an event "call" of "Olga" at 10:00 with a reminder 15 minutes before
      And the row of the reminder of "call" was put off to 09:55 from outside
      Then why says of the reminder of "call"
        """
        Reminder ID cannot be believed: its row and its history differ in how long before the start of its
        event it is due and when it is due. `tickler rebuild` mends it.
        """
      And it stands so as drifted
      When the rows are rebuilt
      Then why says of the reminder of "call"
        """
        Reminder ID is Pending: it leaves at the first cycle after 2026-06-01 09:45 UTC, at the latest about
        60 s later.
        """

    Scenario: It is too late to be of use
      Given a grace of 30 minutes
      And an event "call" of "Olga" at 10:00 with a reminder 15 minutes before
      And it is 10:20
      Then why says of the reminder of "call"
        """
        Reminder ID is Pending, but will be skipped and not sent at the next cycle: its time is 35 min
        past, too late to be of use.
        """
      And it stands so as will_be_skipped

  Rule: A reminder that was sent

    Background:
      Given an event "call" of "Olga" at 10:00 with a reminder 15 minutes before
      And it is 09:45:30

    Scenario: Its message waits in the outbox
      When a cycle runs
      Then why says of the reminder of "call"
        """
        Reminder ID was Sent at 2026-06-01 09:45:30 UTC, 30 s after its time. Its message waits in the
        outbox: the relay takes it within about 0.5 s.
        """
      And it stands so as in_the_outbox

    Scenario: Its message has waited for long
      When a cycle runs
      And it is 09:55
      Then why says of the reminder of "call"
        """
        Reminder ID was Sent at 2026-06-01 09:45:30 UTC, 30 s after its time. Its message has been waiting
        in the outbox for 9 min 30 s, which is too long: look whether `tickler run` is running with its
        relay loop. It is kept until it is published.
        """
      And it stands so as in_the_outbox

    Scenario: Its message is in a relay's hands
      When a cycle runs
      And a relay has taken its message
      Then why says of the reminder of "call"
        """
        Reminder ID was Sent at 2026-06-01 09:45:30 UTC, 30 s after its time. Its message is being
        published: a relay has it until 2026-06-01 09:46:30 UTC at the latest, and if that falls silent
        another one takes it then.
        """
      And it stands so as being_published

    Scenario: Its message is parked
      When a cycle runs
      And its message is refused for good as "Kafka: message too large"
      Then why says of the reminder of "call"
        """
        Reminder ID was Sent at 2026-06-01 09:45:30 UTC, 30 s after its time. Its message was refused for
        good at 2026-06-01 09:45:30 UTC: Kafka: message too large. It stays parked, and reaches nobody,
        until somebody has mended that and gives it back: `tickler outbox retry ID`.
        """
      And it stands so as parked

    Scenario: Its message was published, and the notifications have not read it
      When a cycle runs
      And its message is published, and nobody has read it yet
      Then why says of the reminder of "call"
        """
        Reminder ID was Sent at 2026-06-01 09:45:30 UTC, 30 s after its time. Its message was published at
        2026-06-01 09:45:30 UTC, and notifications have not taken it in yet. They do as soon as they come
        to it; then it becomes messages to people.
        """
      And it stands so as published

    Scenario: Its message was taken in, and its deliveries are on their way
      When a cycle runs
      And what is in the outbox is handed on
      Then why says of the reminder of "call"
        """
        Reminder ID was Sent at 2026-06-01 09:45:30 UTC, 30 s after its time. Notifications took it in at
        2026-06-01 09:45:30 UTC, and it became 1 message: 1 Pending.
        """
      And it stands so as received
      And its parts stand as due

    Scenario: It arrived
      When a cycle runs
      And what is in the outbox is handed on
      And deliveries are made
      Then why says of the reminder of "call"
        """
        Reminder ID was Sent at 2026-06-01 09:45:30 UTC, 30 s after its time. Notifications took it in at
        2026-06-01 09:45:30 UTC, and its message arrived.
        """
      And it stands so as delivered
      And its parts stand as delivered

  Rule: A reminder that was skipped

    Scenario Outline: Its event is over
      Given an event "call" of "Olga" at 10:00 with a reminder 15 minutes before
      And it is 09:30
      When "call" is <told>
      Then why says of the reminder of "call"
        """
        Reminder ID was Skipped at 2026-06-01 09:30:00 UTC: its event was <told>. Nothing was sent, and it
        stays so.
        """
      And it stands so as skipped

      Examples:
        | told      |
        | cancelled |
        | completed |

    Scenario: Its event was moved, and another one stands for it
      Given an event "call" of "Olga" at 10:00 with a reminder 15 minutes before
      And it is 09:30
      When "call" is moved to 12:00
      Then why says of the Skipped reminder of "call"
        """
        Reminder ID was Skipped at 2026-06-01 09:30:00 UTC: its event was moved, so that 2026-06-01 09:45 UTC
        is no longer its time. Nothing was sent, and it stays so. Reminder OTHER stands for it now: Pending,
        with 2026-06-01 11:45 UTC as its time.
        """
      And it stands so as skipped

    Scenario: Its trigger was taken off
      Given an event "call" of "Olga" at 10:00 with a reminder 15 minutes before
      When "call" is left without reminders
      Then why says of the reminder of "call"
        """
        Reminder ID was Skipped at 2026-06-01 09:00:00 UTC: its trigger start-15m was taken off the event.
        Nothing was sent, and it stays so.
        """
      And it stands so as skipped

    Scenario: Its time had passed when it was made
      Given it is 09:50
      And an event "call" of "Olga" at 10:00 with a reminder 15 minutes before
      Then why says of the reminder of "call"
        """
        Reminder ID was Skipped at 2026-06-01 09:50:00 UTC: its time, 2026-06-01 09:45 UTC, had passed when
        it was made. Nothing was sent, and it stays so.
        """
      And it stands so as skipped

    Scenario: It was found too late
      Given a grace of 30 minutes
      And an event "call" of "Olga" at 10:00 with a reminder 15 minutes before
      And it is 10:20
      When a cycle runs
      Then why says of the reminder of "call"
        """
        Reminder ID was Skipped at 2026-06-01 10:20:00 UTC: it was found 35 min after its time, too late to
        be of use. Nothing was sent, and it stays so.
        """
      And it stands so as skipped

  Rule: A delivery

    Background:
      Given an event "call" of "Olga" at 10:00 with a reminder 15 minutes before
      And it is 09:46

    Scenario: It waits for its sender
      When a cycle runs
      And what is in the outbox is handed on
      Then why says of the delivery to "Olga"
        """
        Delivery ID to olga on recording is Pending: it is sent within about 1 s.
        """
      And it stands so as due

    Scenario: No sender has come for long
      When a cycle runs
      And what is in the outbox is handed on
      And it is 09:55
      Then why says of the delivery to "Olga"
        """
        Delivery ID to olga on recording is Pending and overdue: it could have been sent since 2026-06-01
        09:46:00 UTC, 9 min ago. Look whether `tickler run` is running with its delivery loop; if it is,
        others on recording may be in front of it.
        """
      And it stands so as overdue

    Scenario: It was tried in vain, and is tried again
      Given the channel is busy when it is asked to send
      When a cycle runs
      And what is in the outbox is handed on
      And deliveries are made
      Then why says of the delivery to "Olga" that it is tried again
      And it stands so as waits_for_another_try

    Scenario: A sender has it
      When a cycle runs
      And what is in the outbox is handed on
      And a sender has taken the delivery
      Then why says of the delivery to "Olga"
        """
        Delivery ID to olga on recording is being sent, for the 1st time: its sender has it until
        2026-06-01 09:47:00 UTC.
        """
      And it stands so as being_sent

    Scenario: Its sender fell silent
      When a cycle runs
      And what is in the outbox is handed on
      And a sender has taken the delivery
      And it is 09:48
      Then why says of the delivery to "Olga"
        """
        Delivery ID to olga on recording was being sent when its sender fell silent: its lease ran out at
        2026-06-01 09:47:00 UTC, and nobody knows whether it left. The next sender on recording marks it
        Unknown; on this channel it is then held, since it might arrive twice.
        """
      And it stands so as lease_is_over

    Scenario: Nobody knows whether it arrived, and it is held
      Given the channel loses its answer when it is asked to send
      When a cycle runs
      And what is in the outbox is handed on
      And deliveries are made
      Then why says of the delivery to "Olga"
        """
        Delivery ID to olga on recording is Unknown since 2026-06-01 09:46:00 UTC: nobody knows whether it
        arrived (the line went dead). It is not sent again by itself: what may have arrived on recording
        is held, lest it arrive twice. `tickler delivery retry ID --may-arrive-twice` sends it again; if it
        did arrive, `tickler delivery arrived ID` says so.
        """
      And it stands so as unknown

    Scenario: It was refused for good, and there is no other address
      Given the channel refuses for good when it is asked to send
      When a cycle runs
      And what is in the outbox is handed on
      And deliveries are made
      Then why says of the delivery to "Olga"
        """
        Delivery ID to olga on recording Failed at 2026-06-01 09:46:00 UTC: no such mailbox. The person
        has no other address that was not tried. Once that is mended, `tickler delivery retry ID` sends it
        again.
        """
      And it stands so as failed

    Scenario: It was refused for good, and the next address got it
      Given "Olga" has another address "olga's desk"
      And the channel refuses for good, then takes it when it is asked to send
      When a cycle runs
      And what is in the outbox is handed on
      And deliveries are made
      Then why says of the Failed delivery to "Olga"
        """
        Delivery ID to olga on recording Failed at 2026-06-01 09:46:00 UTC: no such mailbox. The next address
        was tried: delivery OTHER on recording is Delivered.
        """
      And it stands so as failed
      And why says of the Delivered delivery to "Olga"
        """
        Delivery ID to olga on recording was Delivered at 2026-06-01 09:46:00 UTC.
        """

    Scenario: It was refused for good, and its event is over by now
      Given the channel refuses for good when it is asked to send
      When a cycle runs
      And what is in the outbox is handed on
      And deliveries are made
      And "call" is completed
      Then why says of the delivery to "Olga"
        """
        Delivery ID to olga on recording Failed at 2026-06-01 09:46:00 UTC: no such mailbox. The person
        has no other address that was not tried. A retry would not send it: its event is over.
        """
      And it stands so as failed

    Scenario: The person opts out before it is sent
      When a cycle runs
      And what is in the outbox is handed on
      And "Olga" opts out of the channel recording
      Then why says of the delivery to "Olga"
        """
        Delivery ID to olga on recording is Pending, but will be skipped and not sent when its turn comes:
        olga opted out of recording, or of this address.
        """
      And it stands so as will_be_skipped
      When deliveries are made
      Then why says of the delivery to "Olga"
        """
        Delivery ID to olga on recording was Skipped at 2026-06-01 09:46:00 UTC: olga opted out of recording,
        or of this address. Nothing was sent, and it stays so.
        """
      And it stands so as skipped

    Scenario: The event is cancelled before it is sent
      When a cycle runs
      And what is in the outbox is handed on
      And "call" is cancelled
      And deliveries are made
      Then why says of the delivery to "Olga"
        """
        Delivery ID to olga on recording was Skipped at 2026-06-01 09:46:00 UTC: its event was cancelled.
        Nothing was sent, and it stays so.
        """
      And it stands so as skipped

    Scenario: The event is over before it is sent
      Given an event "talk" of "Olga" from 09:50 to 10:20 with a reminder 3 minutes before
      And it is 09:47:30
      When a cycle runs
      And what is in the outbox is handed on
      And it is 10:30
      And deliveries are made
      Then why says of the delivery about "talk"
        """
        Delivery ID to olga on recording was Skipped at 2026-06-01 10:30:00 UTC: its event is over. Nothing
        was sent, and it stays so.
        """
      And it stands so as skipped

    Scenario: The person was erased before it is sent
      When a cycle runs
      And what is in the outbox is handed on
      And "Olga" is erased
      Then why says of the delivery to "Olga"
        """
        Delivery ID to a person who was erased (OTHER) on recording is Pending, but will be skipped and
        not sent when its turn comes: the person was erased.
        """
      And it stands so as will_be_skipped

    Scenario: Somebody without an address is told on the console
      Given an event "talk" of "Nobody" at 10:01 with a reminder 15 minutes before
      And it is 09:46:30
      When a cycle runs
      And what is in the outbox is handed on
      Then why says of the delivery to "Nobody"
        """
        Delivery ID to OTHER on console, for want of an address, is Pending: it is sent within about 1 s.
        """
      And it stands so as due

  Rule: A touch

    Background:
      Given the agent puts off the check "stock" for "Olga" until 09:05

    Scenario: A touch waits for its time
      Then why says of the touch "stock"
        """
        Touch ID (check) is Pending: it is taken up after 2026-06-01 09:05 UTC, within about 2 s, and its
        answer goes to olga on recording.
        """
      And it stands so as waits_for_its_time, until 09:05

    Scenario: Its time has come
      Given it is 09:05:01
      Then why says of the touch "stock"
        """
        Touch ID (check) is Pending and due since 2026-06-01 09:05 UTC: a worker takes it up within about
        2 s, or as soon as one is free.
        """
      And it stands so as due

    Scenario: No worker has come for long
      Given it is 09:15
      Then why says of the touch "stock"
        """
        Touch ID (check) is Pending and overdue: it was due at 2026-06-01 09:05 UTC, 10 min ago, and no
        worker has taken it. Look whether `tickler run` is running with its touch loop; if it is, all of
        its workers may be busy: `tickler touch list --status InProgress` shows with what.
        """
      And it stands so as overdue

    Scenario: Its tenant has no place free
      Given at most 1 touch of a tenant is worked on at once
      And the agent puts off the check "slow" for "Olga" until 09:04
      And it is 09:04:30
      And a worker is in the midst of "slow"
      When it is 09:05:01
      Then why says of the touch "stock"
        """
        Touch ID (check) is Pending and due since 2026-06-01 09:05 UTC, and waits for a free place: its
        tenant has 1 touch in work, and may have no more than 1 at once. It is taken up when one of them
        ends.
        """
      And it stands so as waits_for_a_place
      When the work on "slow" ends
      Then the touch "slow" is Answered

    Scenario: A worker has it
      Given it is 09:06
      And a worker is in the midst of "stock"
      Then why says of the touch "stock"
        """
        Touch ID (check) is being worked on since 2026-06-01 09:06:00 UTC by worker 1 (attempt 1 of 5), whose
        claim lasts until 2026-06-01 09:06:10 UTC and is lengthened while it lives.
        """
      And it stands so as in_work

    Scenario: Its worker fell silent
      Given it is 09:06
      And a worker is in the midst of "stock"
      When that worker is killed
      And it is 09:07
      Then why says of the touch "stock"
        """
        Touch ID (check) is stuck: worker 1 took it at 2026-06-01 09:06:00 UTC, and its claim ran out at
        2026-06-01 09:06:10 UTC. The next worker that looks takes it back, and it is worked on again (0 of
        20 recoveries so far). If it stays so, look whether `tickler run` is running with its touch loop.
        """
      And it stands so as lease_is_over

    Scenario: Its attempt failed, and the next one is to come
      Given the work on "stock" fails
      And it is 09:06
      When a worker polls
      Then why says of the touch "stock"
        """
        Touch ID (check) is Pending and waits for attempt 2 of 5, after 2026-06-01 09:06:10 UTC. The one
        before failed at 2026-06-01 09:06:00 UTC: it is broken.
        """
      And it stands so as waits_for_another_try, until 09:06:10

    Scenario: All of its attempts are spent
      Given the work on "stock" fails
      When a worker polls every 10 seconds until 09:20
      Then why says of the touch "stock"
        """
        Touch ID (check) Failed at 2026-06-01 09:08:20 UTC: all of its 5 attempts are spent, the last time
        because it is broken. It stays so until somebody tries it again: `tickler touch retry ID`.
        """
      And it stands so as failed

    Scenario: It was answered, and the answer is on its way
      Given it is 09:06
      When a worker polls
      Then why says of the touch "stock"
        """
        Touch ID (check) was Answered at 2026-06-01 09:06:00 UTC, and its answer is on its way by delivery
        OTHER.
        """
      And it stands so as answered
      And its parts stand as due

    Scenario: Its answer arrived
      Given it is 09:06
      When a worker polls
      And answers are delivered
      Then why says of the touch "stock"
        """
        Touch ID (check) was Delivered at 2026-06-01 09:06:00 UTC: its answer arrived by delivery OTHER.
        """
      And it stands so as delivered

    Scenario: Nobody knew whether its answer arrived, until a person looked
      Given the channel loses its answer when it is asked to send
      And it is 09:06
      When a worker polls
      And answers are delivered
      Then why says of the touch "stock"
        """
        Touch ID (check) was Answered at 2026-06-01 09:06:00 UTC, and nobody knows whether its answer arrived
        by delivery OTHER.
        """
      And its parts stand as unknown
      When it is 09:30
      And a person says that the answer to "stock" arrived
      And answers are delivered
      Then "Olga" got no answer
      And why says of the touch "stock"
        """
        Touch ID (check) was Delivered at 2026-06-01 09:30:00 UTC: its answer arrived by delivery OTHER.
        """
      And its parts stand as delivered
      And the whole history of the touch "stock" ends with
        | at    | what     | says |
        | 09:06 | delivery | tried (claim 1): its answer was lost, and somebody has looked: Rita says that it arrived |
        | 09:30 | touch    | its answer was delivered |

    Scenario: There was nothing to say
      Given there is nothing to say of "stock"
      And it is 09:06
      When a worker polls
      Then why says of the touch "stock"
        """
        Touch ID (check) was Closed at 2026-06-01 09:06:00 UTC: the work is done, and there was nothing to
        say.
        """
      And it stands so as closed

    Scenario: There is nowhere to answer to
      When "Olga" leaves the tenant
      Then why says of the touch "stock"
        """
        Touch ID (check) is Pending, but there is nowhere to answer to any more: once it is due
        (2026-06-01 09:05 UTC) it is closed as undeliverable, without any work, and the tenant's operator,
        where there is one, is told of its id.
        """
      And it stands so as will_be_skipped, until 09:05
      When it is 09:06
      Then why says of the touch "stock"
        """
        Touch ID (check) is Pending, but there is nowhere to answer to any more: at its next turn it is
        closed as undeliverable, without any work, and the tenant's operator, where there is one, is told of
        its id.
        """
      When a worker polls
      Then why says of the touch "stock"
        """
        Touch ID (check) was Closed at 2026-06-01 09:06:00 UTC as undeliverable: olga on recording cannot be
        reached any more, and an answer goes nowhere else. The tenant's operator was told of its id, where
        there is one.
        """
      And it stands so as closed

    Scenario: Its work asks to be called again
      Given the work on "stock" asks to be called again at 09:30
      And it is 09:06
      When a worker polls
      Then why says of the touch "stock"
        """
        Touch ID (check) is Pending: its work asked to be called again, which is done after 2026-06-01
        09:30 UTC (1 time so far, of at most 100).
        """
      And it stands so as put_off_again, until 09:30

    Scenario: The person whom it is for was erased
      When "Olga" is erased by a command
      Then why says of the touch "stock"
        """
        Touch ID (check) was Cancelled at 2026-06-01 09:00:00 UTC by the erasing of its person. Nobody works
        on it any more.
        """
      And it stands so as cancelled

    Scenario: It was taken back
      When "stock" is taken back
      Then why says of the touch "stock"
        """
        Touch ID (check) was Cancelled at 2026-06-01 09:00:00 UTC by somebody. Nobody works on it any more.
        """
      And it stands so as cancelled

    Scenario: Nobody here knows its kind
      Given this Tickler knows only messages
      Then why says of the touch "stock"
        """
        Touch ID (check) is Pending and waits for a Tickler that knows its kind: 'check' is none of
        those known here (message). It is due at 2026-06-01 09:05 UTC; waiting costs it no attempt.
        """
      And it stands so as kind_is_unknown

    Scenario: Its row was put off, and its history knows nothing of it
      Given the row of the touch "stock" was put off to 11:00 from outside
      Then why says of the touch "stock"
        """
        Touch ID (check) cannot be believed: its row and its history differ in when it is due. `tickler
        rebuild` mends it.
        """
      And it stands so as drifted
      When the rows are rebuilt
      Then why says of the touch "stock"
        """
        Touch ID (check) is Pending: it is taken up after 2026-06-01 09:05 UTC, within about 2 s, and its
        answer goes to olga on recording.
        """

    Scenario: Its row is lost, so that nobody works on it
      Given the row of the touch "stock" is gone
      Then why says of the touch "stock"
        """
        Touch ID (check) is Pending by its history, but its row is not there: nobody finds it, and nothing
        becomes of it until that is mended. `tickler rebuild` makes the row again from its history.
        """
      And it stands so as poison

  Rule: An event, a plan, and what is none of these

    Scenario: An event tells where each of its reminders stands
      Given an event "call" titled "Contract renewal" of "Olga" at 10:00 with the triggers start-45m and start-15m
      And it is 09:16
      When a cycle runs
      Then why says of the event "call"
        """
        Event EVENT “Contract renewal” is Planned: it starts at 2026-06-01 10:00 UTC. It has 2 reminders.
        """
      And it stands so as open, until 09:45
      And its parts stand as in_the_outbox, waits_for_its_time

    Scenario: An event that has begun tells when it did, and when it was to
      Given an event "call" of "Olga" at 10:00 with a reminder 15 minutes before
      And it is 09:56
      When "call" is started
      Then why says of the event "call"
        """
        Event EVENT is InProgress: it began at 2026-06-01 09:56:00 UTC, and was to start at 2026-06-01 10:00
        UTC. It has 1 reminder.
        """

    Scenario: An event that was cancelled
      Given an event "call" of "Olga" at 10:00 with a reminder 15 minutes before
      And it is 09:30
      When "call" is cancelled
      Then why says of the event "call"
        """
        Event EVENT was cancelled at 2026-06-01 09:30:00 UTC: reminders that had not left by then do not
        leave. It has 1 reminder.
        """
      And it stands so as cancelled
      And its parts stand as skipped

    Scenario: The row of an event says that it was cancelled, and nobody cancelled it
      Given an event "call" of "Olga" at 10:00 with a reminder 15 minutes before
      And only the status of the row of "call" was made Cancelled from outside
      Then why says of the event "call"
        """
        Event EVENT cannot be believed: its row says Cancelled, and its history says Planned. `tickler
        rebuild` mends it. It has 1 reminder.
        """
      And it stands so as drifted

    Scenario: The row of an event is ahead of its history
      Given an event "call" of "Olga" at 10:00 with a reminder 15 minutes before
      And the row of "call" was made Cancelled from outside, and its reminders were not told
      Then why says of the event "call"
        """
        Event EVENT cannot be believed: its row says Cancelled, and its history says Planned; its row is
        ahead of its history, so that `tickler rebuild` leaves it: `tickler audit` tells how far. It has 1
        reminder.
        """
      And it stands so as drifted

    Scenario: The row of an event has another owner than its history
      Given an event "call" of "Olga" at 10:00 with a reminder 15 minutes before
      And the row of "call" was given to "Boris" from outside
      Then why says of the event "call"
        """
        Event EVENT cannot be believed: its row and its history differ in its owner. `tickler rebuild` mends
        it. It has 1 reminder.
        """
      And it stands so as drifted
      And its parts stand as waits_for_its_time
      When the rows are rebuilt
      Then why says of the event "call"
        """
        Event EVENT is Planned: it starts at 2026-06-01 10:00 UTC. It has 1 reminder.
        """

    Scenario: The row of an event is gone, and its reminder's is not
      Given an event "call" of "Olga" at 10:00 with a reminder 15 minutes before
      And the row of the event of "call" is gone
      Then why says of the event "call"
        """
        Event EVENT is Planned: it starts at 2026-06-01 10:00 UTC. It has 1 reminder, 1 of which cannot be
        sent as it stands. Its row is lost, and this is by its history: `tickler rebuild` makes the row
        again.
        """
      And its parts stand as poison

    Scenario: A plan waits for its next occurrence
      Given the tenant plans the message "renew" for "Olga", 30 and 7 days before 2026-08-01 at 10:00 Europe/Berlin
      Then why says of the plan
        """
        Plan ID is Active: its next touch is due at 2026-07-02 10:00 Europe/Berlin.
        """
      And it stands so as active, until 08:00 on 2026-07-02

    Scenario: The row of a plan was changed, and its history knows nothing of it
      Given the tenant plans the message "renew" for "Olga", 30 and 7 days before 2026-08-01 at 10:00 Europe/Berlin
      And the row of the plan was edited from outside
      Then why says of the plan
        """
        Plan ID cannot be believed: its row and its history differ in how often it was edited. `tickler
        rebuild` mends it.
        """
      And it stands so as drifted

    Scenario: The row of a plan makes no sense
      Given the tenant plans the message "renew" for "Olga", 30 and 7 days before 2026-08-01 at 10:00 Europe/Berlin
      And the row of the plan makes no sense
      Then why says of the plan that it cannot be read
      And it stands so as poison
      When the rows are rebuilt
      Then why says of the plan
        """
        Plan ID is Active: its next touch is due at 2026-07-02 10:00 Europe/Berlin.
        """

    Scenario: The row of a plan is lost
      Given the tenant plans the message "renew" for "Olga", 30 and 7 days before 2026-08-01 at 10:00 Europe/Berlin
      And the row of the plan is gone
      Then why says of the plan
        """
        Plan ID is Active by its history, but its row is not there: nobody finds it, and it makes no touches
        until that is mended. `tickler rebuild` makes the row again from its history.
        """
      And it stands so as poison

    Scenario: A plan has an occurrence to which nobody came
      Given the tenant plans the message "renew" for "Olga", 30 and 7 days before 2026-08-01 at 10:00 Europe/Berlin
      And it is 08:30 on 2026-07-02
      Then why says of the plan
        """
        Plan ID is Active and overdue: its occurrence of 2026-07-02 10:00 Europe/Berlin came 30 min ago, and
        nobody has come to it. Look whether `tickler run` is running with its touch loop: when it comes to
        the plan, it becomes a touch.
        """
      And it stands so as overdue

    Scenario: An event whose start has passed, and which nobody has started
      Given an event "call" of "Olga" at 10:00 with a reminder 15 minutes before
      And it is 10:05
      Then why says of the event "call"
        """
        Event EVENT is Planned: it was to start at 2026-06-01 10:00 UTC. It has 1 reminder.
        """

    Scenario: A plan that was edited in its pause is paused since before
      Given the tenant plans the message "renew" for "Olga", 30 and 7 days before 2026-08-01 at 10:00 Europe/Berlin
      And it is 09:10
      And the plan is paused, and edited at 09:20
      Then why says of the plan
        """
        Plan ID is Paused since 2026-06-01 11:10:00 Europe/Berlin: it makes no touches until somebody resumes
        it with `tickler plan resume ID`, and what falls into the pause is not made up for.
        """
      And it stands so as paused

    Scenario: An id of nothing
      Then nothing is known of an id that nobody gave

  Rule: What happened, in words

    Scenario: The whole history of an event has its reminders and the tries to deliver
      Given it is 07:00
      And an event "talk" of "Olga" at 12:00 in Europe/Berlin with a reminder 15 minutes before
      And it is 09:46
      When a cycle runs
      And what is in the outbox is handed on
      And deliveries are made
      Then the whole history of the event "talk" is
        | at    | what     | says                                                                           |
        | 07:00 | event    | planned as meeting, to start at 2026-06-01 12:00 Europe/Berlin, with 1 reminder |
        | 07:00 | reminder | scheduled for 2026-06-01 11:45 Europe/Berlin (start-15m)                       |
        | 09:46 | reminder | sent, on version 1 of its event, and its message put into the outbox           |
        | 09:46 | delivery | tried (claim 1): the channel took it                                           |

    Scenario: The whole history of a touch has the tries to deliver its answer
      Given the agent puts off the message "renew" for "Olga" until 09:05
      And it is 09:06
      When a worker polls
      And answers are delivered
      Then the whole history of the touch "renew" is
        | at    | what     | says                                                      |
        | 09:00 | touch    | put off until 2026-06-01 09:05 UTC                        |
        | 09:06 | touch    | taken by worker 1, at first until 2026-06-01 09:06:10 UTC |
        | 09:06 | touch    | answered, and the answer given to its delivery            |
        | 09:06 | touch    | its answer was delivered                                  |
        | 09:06 | delivery | tried (claim 1): the channel took it                      |

    Scenario: What was forgotten is told by its history
      Given an event "call" of "Olga" at 10:00 with a reminder 15 minutes before
      And it is 09:30
      When "call" is cancelled
      And the rows of "call" and of its reminders are forgotten
      Then why says of the forgotten reminder of "call"
        """
        Reminder ID was Skipped at 2026-06-01 09:30:00 UTC: its event was cancelled. Nothing was sent, and it
        stays so. Its row is lost, and this is by its history: `tickler rebuild` makes the row again.
        """
      And why says of the event "call"
        """
        Event EVENT was cancelled at 2026-06-01 09:30:00 UTC: reminders that had not left by then do not
        leave. It has no reminders. Its row is lost, and this is by its history: `tickler rebuild` makes the
        row again.
        """
      When it is 09:30 on 2027-12-01
      Then why says of the forgotten reminder of "call"
        """
        Reminder ID was Skipped at 2026-06-01 09:30:00 UTC: its event was cancelled. Nothing was sent, and it
        stays so. Its row is not there any more: its history says so.
        """
