Feature: Deferred touches
  What cannot be found out within a turn is put off: a row is written and control comes back. A worker takes it
  up when its time has come, and its answer goes where the request came from. T-TCH-1 to T-TCH-10 carry the
  sentence of the specification that they mirror in the product owner's words.

  Background:
    Given it is 09:00
    And "Olga" is a person with the address "olga" on the channel recording

  Scenario: T-TCH-1 Putting off does not block: the turn goes on now, and the result comes later
    Спецификация: Он пишет строку и возвращает управление, поэтому клиент получает свой ответ сейчас, а отложенный результат — позже.

    When the agent puts off the check "stock" for "Olga" until 09:05
    Then the agent has control again, and nobody has worked on "stock"
    And the touch "stock" is Pending
    And "Olga" got no answer
    When it is 09:06
    And a worker polls
    And answers are delivered
    Then "Olga" got the answer to "stock"
    And the touch "stock" is Delivered

  Scenario: T-TCH-1 Putting off waits for no work that is under way
    Спецификация: Инструмент не блокирует ход.

    Given the agent puts off the check "slow" for "Olga" until 09:05
    And it is 09:06
    And a worker is in the midst of "slow"
    When the agent puts off the check "next" for "Olga" until 09:10
    Then the agent has control again, and nobody has worked on "next"
    And the touch "slow" is InProgress

  Scenario: T-TCH-1 A request that is repeated puts off the same touch
    Спецификация: Он пишет строку и возвращает управление, поэтому клиент получает свой ответ сейчас, а отложенный результат — позже.

    When the agent puts off the check "stock" for "Olga" until 09:05
    And the agent repeats its request for "stock"
    And it is 09:06
    And a worker polls
    And answers are delivered
    Then "stock" was worked on once
    And "Olga" got 1 answer

  Scenario: T-TCH-2 A restart between any two steps loses nothing and repeats nothing
    Спецификация: Перезапуски не теряют работу. Задача в ожидании — зафиксированная строка.

    When the agent puts off the message "renew" for "Olga" until 09:05
    And Tickler is restarted
    Then the touch "renew" is Pending
    When it is 09:06
    And Tickler is restarted
    And a worker polls
    Then the touch "renew" is Answered
    When Tickler is restarted
    And answers are delivered
    And Tickler is restarted
    And a worker polls
    And answers are delivered
    Then the touch "renew" is Delivered
    And "Olga" got 1 answer

  Scenario: T-TCH-2 What came due while no process ran is taken up by the first poll
    Спецификация: Процесс можно передеплоить прямо на лету, и опросчик подхватит задачу, вернувшись в строй

    When the agent puts off the message "renew" for "Olga" until 09:05
    And it is 09:00 on 2026-06-04
    And Tickler is restarted
    And a worker polls
    And answers are delivered
    Then "Olga" got 1 answer

  Scenario: T-TCH-2 A worker that is told to stop gives back what it has not begun, at no cost
    Спецификация: Процесс можно передеплоить прямо на лету, и опросчик подхватит задачу, вернувшись в строй

    Given the agent puts off the message "renew" for "Olga" until 09:05
    And it is 09:06
    When a worker is told to stop between its claim and the beginning of the work
    Then the touch "renew" is Pending after 0 failures and 0 recoveries
    When a worker polls
    And answers are delivered
    Then "Olga" got 1 answer

  Scenario: T-TCH-3 A worker killed in the middle is recovered, and the touch is repeated
    Спецификация: Задача, захваченная процессом, который затем умер, иначе висела бы «в работе» вечно.

    Given the agent puts off the check "stock" for "Olga" until 09:05
    And it is 09:06
    And a worker is in the midst of "stock"
    When that worker is killed
    And it is 09:06:10
    And a worker polls
    Then the touch "stock" is InProgress
    When it is 09:06:11
    And a worker polls
    And answers are delivered
    Then "stock" was worked on twice
    And the touch "stock" is Delivered after 0 failures and 1 recovery
    And "Olga" got 1 answer

  Scenario: T-TCH-4 Workers beside each other share the touches, and each goes to one of them
    Спецификация: Наступившие задачи захватываются через FOR UPDATE SKIP LOCKED.

    Given the agent puts off 60 messages for "Olga" until 09:05
    And it is 09:06
    When 4 workers poll at once until nothing is due
    And answers are delivered
    Then each of the 60 was claimed once and answered once
    And "Olga" got 60 answers

  Scenario: T-TCH-4 A worker steps over what another one is about to claim, and waits for nobody
    Спецификация: написанное правильно сейчас означает, что запуск второго экземпляра потом не приведёт к двойной отправке

    Given the agent puts off 10 messages for "Olga" until 09:05
    And it is 09:06
    When a worker polls while another one holds 4 of them and has not committed
    Then 6 of the 10 are Answered and 4 are Pending
    When a worker polls
    And answers are delivered
    Then each of the 10 was claimed once and answered once
    And "Olga" got 10 answers

  Scenario: T-TCH-5 A slow touch holds nobody up, neither for its own worker nor for others
    Спецификация: SKIP LOCKED заодно означает, что медленная задача не держит очередь за собой: другие обработчики перешагивают заблокированную строку и берут следующую.

    Given the agent puts off the check "slow" for "Olga" until 09:05
    And the agent puts off the message "quick" for "Olga" until 09:05
    And it is 09:06
    When a worker is in the midst of "slow"
    Then "quick" is answered while "slow" is InProgress
    When the agent puts off the message "quicker" for "Olga" until 09:05
    And another worker polls
    Then "quicker" is answered while "slow" is InProgress
    When the work on "slow" ends
    Then the touch "slow" is Answered
    And "slow" was worked on once

  Scenario: T-TCH-5 A tenant that floods the queue holds up no other
    Спецификация: SKIP LOCKED заодно означает, что медленная задача не держит очередь за собой: другие обработчики перешагивают заблокированную строку и берут следующую.

    Given the agent puts off 100 messages for "Olga" until 09:05
    And an agent of another tenant puts off the message "other" until 09:05:30
    And it is 09:06
    When a worker takes up as many as it can at once
    Then "other" is among them

  Scenario: T-TCH-6 Stuck touches go back to Pending, even by a worker that does not know their kind
    Спецификация: Процедура восстановления возвращает застрявшие задачи в ожидание, чтобы они были повторены, а не тихо потеряны.

    Given the agent puts off the check "stock" for "Olga" until 09:05
    And it is 09:06
    And a worker is in the midst of "stock"
    When that worker is killed
    And it is 09:06:15
    And a worker that knows only messages polls
    Then the touch "stock" is Pending after 0 failures and 1 recovery
    And "stock" was worked on once
    When a worker polls
    And answers are delivered
    Then "Olga" got 1 answer

  Scenario: T-TCH-6 What loses its workers again and again is kept as Failed, and tried again by hand
    Спецификация: Процедура восстановления возвращает застрявшие задачи в ожидание, чтобы они были повторены, а не тихо потеряны.

    Given the agent puts off the check "deadly" for "Olga" until 09:05
    And it is 09:06
    When "deadly" has killed 21 workers
    And a worker that knows only messages polls
    Then the touch "deadly" is Failed as recoveries
    When "deadly" is tried again by hand
    And it is 10:00
    And a worker polls
    And answers are delivered
    Then "Olga" got 1 answer

  Scenario: T-TCH-6 An attempt that fails is tried again after a pause that grows, and kept as Failed in the end
    Спецификация: Процедура восстановления возвращает застрявшие задачи в ожидание, чтобы они были повторены, а не тихо потеряны.

    Given the agent puts off the check "broken" for "Olga" until 09:05
    And the work on "broken" fails
    And it is 09:05:01
    When a worker polls every second until 09:10
    Then the touch "broken" is Failed as attempts
    And "broken" was worked on 5 times, with 10, 20, 40 and 80 seconds between

  Scenario: T-TCH-7 The answer goes to the channel of the request, though another is preferred
    Спецификация: Кто спросил в WhatsApp, тому в WhatsApp и ответят.

    Given "Olga" also has the address "+31" on the channel whatsapp
    When the agent puts off the message "renew" for "Olga" on whatsapp until 09:05
    And it is 09:06
    And a worker polls
    And answers are delivered
    Then the answer to "renew" went to "+31" on the channel whatsapp alone

  Scenario Outline: T-TCH-7 Where <the origin is gone> nothing goes elsewhere, and the operator is told
    Спецификация: Результат возвращается в тот канал, откуда пришёл запрос, а не в канал по выбору платформы.

    Given "Olga" also has the address "+31" on the channel whatsapp
    And "Rita" is the operator
    When the agent puts off the message "renew" for "Olga" on whatsapp until 09:05
    And <the origin is gone>
    And it is 09:06
    And a worker polls
    And answers are delivered
    Then the touch "renew" is Closed as undeliverable
    And "Olga" got no answer
    And the operator is told of "renew" by its id alone

    Examples:
      | the origin is gone                          |
      | "Olga" takes the address "+31" back         |
      | "Olga" opts out of the channel whatsapp     |
      | "Olga" leaves the tenant                    |
      | the channel whatsapp refuses "+31" for good |

  Scenario: T-TCH-8 A tenant's plan runs with the periodicity that the tenant set
    Спецификация: Собственные плановые касания тенанта — напоминания о продлении, дожим по срокам — работают так же, с той периодичностью, которую вы настроите.

    Given the tenant plans the message "call {{ date }}" for "Olga", every day at 13:00 Europe/Moscow
    When Tickler runs until 09:00 on 2026-06-05
    Then "Olga" got these answers
      | at                  | text            |
      | 10:00 on 2026-06-01 | call 2026-06-01 |
      | 10:00 on 2026-06-02 | call 2026-06-02 |
      | 10:00 on 2026-06-03 | call 2026-06-03 |
      | 10:00 on 2026-06-04 | call 2026-06-04 |

  Scenario: T-TCH-8 A renewal is told of so many days before its deadline
    Спецификация: Собственные плановые касания тенанта — напоминания о продлении, дожим по срокам — работают так же, с той периодичностью, которую вы настроите.

    Given the tenant plans the message "{{ days_left }} days left" for "Olga", 3, 2 and 1 days before 2026-06-05 at 10:00 Europe/Berlin
    When Tickler runs until 09:00 on 2026-06-05
    Then "Olga" got these answers
      | at                  | text        |
      | 08:00 on 2026-06-02 | 3 days left |
      | 08:00 on 2026-06-03 | 2 days left |
      | 08:00 on 2026-06-04 | 1 days left |

  Scenario: T-TCH-8 Two pollers make one touch of an occurrence
    Спецификация: Собственные плановые касания тенанта — напоминания о продлении, дожим по срокам — работают так же, с той периодичностью, которую вы настроите.

    Given the tenant plans the message "call {{ date }}" for "Olga", every day at 13:00 Europe/Moscow
    And it is 10:00:02
    When 4 pollers of plans look at once
    And a worker polls
    And answers are delivered
    Then "Olga" got 1 answer

  Scenario: T-TCH-9 A worker that wakes up after its lease has nothing to say any more
    Спецификация: Дважды доставленное касание — не косметический баг: это клиент, дважды получивший «пора продлевать» и потерявший доверие к отправителю.

    Given the agent puts off the check "stock" for "Olga" until 09:05
    And it is 09:06
    And a worker is in the midst of "stock"
    When that worker is frozen
    And it is 09:06:11
    And a worker polls
    And that worker wakes, and its work ends
    Then its write is refused
    When answers are delivered
    Then "stock" was worked on twice
    And "stock" was answered once in its history
    And "Olga" got 1 answer

  Scenario: T-TCH-9 A worker that wakes up after the answer was delivered has nothing to say either
    Спецификация: Касание доставляется один раз и находит человека там, где он с вами разговаривал.

    Given the agent puts off the check "stock" for "Olga" until 09:05
    And it is 09:06
    And a worker is in the midst of "stock"
    When that worker is frozen
    And it is 09:06:11
    And a worker polls
    And answers are delivered
    And that worker wakes, and its work ends
    Then its write is refused
    When answers are delivered
    Then "Olga" got 1 answer
    And the touch "stock" is Delivered

  Scenario: T-TCH-9 Senders beside each other, and a channel that is busy, deliver an answer once
    Спецификация: Касание доставляется один раз и находит человека там, где он с вами разговаривал.

    Given the agent puts off 20 messages for "Olga" until 09:05
    And the channel is busy for "Olga" once
    And it is 09:06
    When a worker polls
    And answers are delivered by 3 senders at once
    And it is 09:10
    And answers are delivered by 3 senders at once
    Then "Olga" got 20 answers

  Scenario: T-TCH-10 A touch fires at the first poll after its time, and never before
    Спецификация: Плата — точность по времени: задача срабатывает на ближайшем опросе, а не с точностью до миллисекунды.

    When the agent puts off the message "renew" for "Olga" until 09:05:01
    And it is 09:05:00.999
    And a worker polls
    Then the touch "renew" is Pending
    When it is 09:05:01
    And a worker polls
    Then the touch "renew" is Pending
    When it is 09:05:01.001
    And a worker polls
    Then the touch "renew" is Answered

  Scenario: T-TCH-10 With a poll every two seconds a touch is at most two seconds late
    Спецификация: Плата — точность по времени: задача срабатывает на ближайшем опросе, а не с точностью до миллисекунды.

    When the agent puts off the message "renew" for "Olga" until 09:05:01
    And a worker polls every 2 seconds until 09:06
    Then "renew" was answered at 09:05:02

  Scenario Outline: A client who writes first <does what> with the touch, by its own policy
    When the agent puts off the message "renew" for "Olga" until 09:05, to be <kept or cancelled> when the client writes
    And "Olga" writes first at 09:03
    And it is 09:06
    And a worker polls
    And answers are delivered
    Then the touch "renew" is <status>

    Examples:
      | does what   | kept or cancelled | status    |
      | keeps       | kept              | Delivered |
      | is rid of   | cancelled         | Cancelled |

  Scenario: A touch that is taken back is not worked on
    When the agent puts off the message "renew" for "Olga" until 09:05
    And "renew" is taken back
    And it is 09:06
    And a worker polls
    Then the touch "renew" is Cancelled
    And "Olga" got no answer

  Scenario: A kind that this version does not know is left for a newer one
    Given the agent puts off the check "stock" for "Olga" until 09:05
    And it is 09:06
    When a worker that knows only messages polls
    Then the touch "stock" is Pending after 0 failures and 0 recoveries
    When a worker polls
    Then the touch "stock" is Answered
