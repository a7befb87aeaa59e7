Feature: A reminder reaches people
  A sent reminder leaves the outbox, becomes a message for the event's owner, and for the client where there is
  one, and is delivered over each one's own channel: once an address.

  Background:
    Given it is 09:00
    And "Olga" is a person with the address "olga" on the channel recording
    And "Clara" is a person with the address "clara" on the channel recording

  Scenario: The owner is reminded
    Given an event "call" of "Olga" at 10:00 with a reminder 15 minutes before
    And it is 09:46
    When a cycle runs
    And what is in the outbox is handed on
    And deliveries are made
    Then "Olga" got 1 message
    And "Clara" got 0 messages
    And all deliveries are Delivered

  Scenario: The client is reminded too, where there is one
    Given an event "call" of "Olga" for "Clara" at 10:00 with a reminder 15 minutes before
    And it is 09:46
    When a cycle runs
    And what is in the outbox is handed on
    And deliveries are made
    Then "Olga" got 1 message
    And "Clara" got 1 message

  Scenario Outline: An event <of an appointment> is told as <template>
    Given an event "call" of "Olga" <of an appointment> at 10:00 with a reminder 15 minutes before
    And it is 09:46
    When a cycle runs
    And what is in the outbox is handed on
    And deliveries are made
    Then the message to "Olga" is a <template>

    Examples:
      | of an appointment      | template            |
      | with an appointment    | AppointmentReminder |
      | without an appointment | CalendarReminder    |

  Scenario: A message that is published twice is delivered once
    Given an event "call" of "Olga" for "Clara" at 10:00 with a reminder 15 minutes before
    And it is 09:46
    When a cycle runs
    And the outbox is published, and its relay dies before it can mark what was published
    And it is 09:50
    And what is in the outbox is handed on
    And deliveries are made
    Then "Olga" got 1 message
    And "Clara" got 1 message

  Scenario: A message that is published twice makes no delivery to an address that was added in between
    Given an event "call" of "Nobody" at 10:00 with a reminder 15 minutes before
    And it is 09:46
    When a cycle runs
    And the outbox is published, and its relay dies before it can mark what was published
    And "Nobody" becomes a person with the address "nobody" on the channel recording
    And it is 09:50
    And what is in the outbox is handed on
    Then there is 1 delivery, on the channel console

  Scenario: Owner and client with one address get one message
    Given "Pavel" is a person with the address "olga" on the channel recording
    And an event "call" of "Olga" for "Pavel" at 10:00 with a reminder 15 minutes before
    And it is 09:46
    When a cycle runs
    And what is in the outbox is handed on
    And deliveries are made
    Then 1 message went to the address "olga"

  Scenario: An owner who is the client as well gets one message
    Given an event "call" of "Olga" for "Olga" at 10:00 with a reminder 15 minutes before
    And it is 09:46
    When a cycle runs
    And what is in the outbox is handed on
    And deliveries are made
    Then "Olga" got 1 message

  Scenario: Somebody without an address is told on the console
    Given an event "call" of "Nobody" at 10:00 with a reminder 15 minutes before
    And it is 09:46
    When a cycle runs
    And what is in the outbox is handed on
    Then there is 1 delivery, on the channel console

  Scenario: An event that is cancelled after its reminder was sent is not told any more
    Given an event "call" of "Olga" at 10:00 with a reminder 15 minutes before
    And it is 09:46
    When a cycle runs
    And what is in the outbox is handed on
    And "call" is cancelled
    And deliveries are made
    Then "Olga" got 0 messages
    And all deliveries are Skipped
    And the reminder of "call" is Sent at 09:46

  Scenario: A restart between the steps loses nothing and repeats nothing
    Given an event "call" of "Olga" for "Clara" at 10:00 with a reminder 15 minutes before
    And it is 09:46
    When a cycle runs
    And Tickler is restarted
    And what is in the outbox is handed on
    And Tickler is restarted
    And what is in the outbox is handed on
    And deliveries are made
    And Tickler is restarted
    And deliveries are made
    Then "Olga" got 1 message
    And "Clara" got 1 message

  Scenario: A channel that is busy is tried again, and only for the one whom it was busy for
    Given an event "call" of "Olga" for "Clara" at 10:00 with a reminder 15 minutes before
    And the channel is busy for "Clara" once
    And it is 09:46
    When a cycle runs
    And what is in the outbox is handed on
    And deliveries are made
    Then "Olga" got 1 message
    And "Clara" got 0 messages
    When it is 09:47
    And deliveries are made
    Then "Olga" got 1 message
    And "Clara" got 1 message

  Scenario: R15 A client who dropped out before the reminder was due is not told
    Given an event "call" of "Olga" for "Clara" at 10:00 with a reminder 15 minutes before
    When the client is taken off "call"
    And it is 09:46
    And a cycle runs
    And what is in the outbox is handed on
    And deliveries are made
    Then "Olga" got 1 message
    And "Clara" got 0 messages

  Scenario: R15 A client who dropped out while the message waited is not told
    Given an event "call" of "Olga" for "Clara" at 10:00 with a reminder 15 minutes before
    And it is 09:46
    When a cycle runs
    And what is in the outbox is handed on
    And the client is taken off "call"
    And deliveries are made
    Then "Olga" got 1 message
    And "Clara" got 0 messages
    And the message to "Clara" was Skipped as taken_off

  Scenario: R16 The new owner is told, and the former one is not
    Given an event "call" of "Olga" at 10:00 with a reminder 15 minutes before
    When the owner of "call" becomes "Clara"
    And it is 09:46
    And a cycle runs
    And what is in the outbox is handed on
    And deliveries are made
    Then "Olga" got 0 messages
    And "Clara" got 1 message

  Scenario: R58 Who has left the tenant is not told, and the others are
    Given an event "call" of "Olga" for "Clara" at 10:00 with a reminder 15 minutes before
    And it is 09:46
    When a cycle runs
    And what is in the outbox is handed on
    And "Clara" leaves the tenant
    And deliveries are made
    Then "Olga" got 1 message
    And "Clara" got 0 messages
    And the message to "Clara" was Skipped as not_member

  Scenario: Who opted out of a channel while the message waited is left alone
    Given an event "call" of "Olga" for "Clara" at 10:00 with a reminder 15 minutes before
    And it is 09:46
    When a cycle runs
    And what is in the outbox is handed on
    And "Clara" opts out of the channel recording
    And deliveries are made
    Then "Olga" got 1 message
    And "Clara" got 0 messages
    And the message to "Clara" was Skipped as opted_out

  Scenario: What nobody can send waits while it is wanted, and is skipped once its event is over
    Given an event "call" of "Olga" from 10:00 to 11:00 with a reminder 15 minutes before
    And it is 09:46
    When a cycle runs
    And what is in the outbox is handed on
    And it is 10:59
    And a Tickler that sends on the console alone looks at what waits
    Then all deliveries are Pending
    When it is 11:01
    And a Tickler that sends on the console alone looks at what waits
    Then "Olga" got 0 messages
    And the message to "Olga" was Skipped as event_over

  Scenario: What nobody can send is sent once somebody can
    Given an event "call" of "Olga" from 10:00 to 11:00 with a reminder 15 minutes before
    And it is 09:46
    When a cycle runs
    And what is in the outbox is handed on
    And a Tickler that sends on the console alone looks at what waits
    And it is 09:50
    And deliveries are made
    Then "Olga" got 1 message
    And all deliveries are Delivered

  Scenario: Where the only address is removed of somebody whom nobody can send to, the message is skipped
    Given an event "call" of "Olga" for "Clara" at 10:00 with a reminder 15 minutes before
    And it is 09:46
    When a cycle runs
    And what is in the outbox is handed on
    And the address of "Clara" is removed
    And a Tickler that sends on the console alone looks at what waits
    Then the message to "Clara" was Skipped as address_gone
    When deliveries are made
    Then "Olga" got 1 message
    And "Clara" got 0 messages

  Scenario: What is in a sender's hands is left there by a Tickler that cannot send it
    Given an event "call" of "Olga" from 10:00 to 11:00 with a reminder 15 minutes before
    And it is 09:46
    When a cycle runs
    And what is in the outbox is handed on
    And it is 11:01
    And a sender takes what waits on the channel recording
    And a Tickler that sends on the console alone looks at what waits
    Then all deliveries are Sending
