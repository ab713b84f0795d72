import { defineFaults } from '../fault.ts'

/** Core: the inbox, pairing and invitations. */
export const MESSAGING_FAULTS = defineFaults([
  {
    id: 'inbox-code-attempts',
    promise: 'A contact code cannot be guessed.',
    find: 'row && now < row.expiresAt && row.attempts < MAX_CODE_ATTEMPTS ? row : null',
    replace: 'row && now < row.expiresAt ? row : null',
    tests: ['src/inbox/rules.test'],
  },
  {
    id: 'inbox-place-kept',
    promise: 'Unanswered requests do not block an inbox.',
    find: "'INSERT INTO admissions (request_id, until) VALUES (?, ?)', requestId, expiresAt)",
    replace: "'INSERT INTO admissions (request_id, until) VALUES (?, ?)', requestId, expiresAt + DELIVERED_COUNTS_MS)",
    tests: ['test/inbox/limits.test'],
  },
  {
    id: 'mailbox-dots',
    promise: 'All spellings of a mailbox count as one.',
    find: "domains: ['gmail.com', 'googlemail.com'], ignores: /\\./g",
    replace: "domains: ['gmail.com', 'googlemail.com']",
    tests: ['test/inbox/limits.test'],
  },
  {
    id: 'inbox-delivered-twice',
    promise: 'A code delivers one message.',
    find: "return presented.isCodeRight && presented.isSameEnvelope ? ok('again') : err({ reason: 'code_unusable' })",
    replace: "return presented.isCodeRight ? ok('deliver') : err({ reason: 'code_unusable' })",
    tests: ['src/inbox/rules.test'],
  },
  {
    id: 'pairing-consumed-twice',
    promise: 'The result of a pairing is handed out once.',
    find: "this.stored.sql.exec('DELETE FROM offer') return ok(result) }) if (consumed.ok) await this.#forget()",
    replace: 'return ok(result) })',
    tests: ['test/rendezvous/faults.test'],
  },
  {
    id: 'invite-mailed-by-all',
    promise: 'One approval mails one code.',
    find: 'AND held_until <= ?6',
    replace: 'AND ?6 >= 0',
    tests: ['test/invites/decision-races.test'],
  },
  {
    id: 'invite-code-made-anew',
    promise: 'An interrupted approval goes on with the same code.',
    find: "const code = sealedCode === null ? null : await secrets.open(sealedCode, { kind: 'code', inviteId: invite.id })",
    replace: 'const code = sealedCode === null ? null : codeOf(crypto.getRandomValues(new Uint8Array(CODE_BYTES)))',
    tests: ['test/invites/decision-faults.test'],
  },
  {
    id: 'invite-code-kept',
    promise: 'A code that was mailed is not kept.',
    find: 'SET done_at = ?2, sealed_code = NULL, held_until = 0',
    replace: 'SET done_at = ?2, held_until = 0',
    tests: ['test/invites/decisions.test'],
  },
  {
    id: 'invite-not-encrypted-anew',
    promise: 'A replaced seed opens no request for an invitation.',
    find: 'await store.reseal(replaced.filter((one) => one !== null))',
    replace: '',
    tests: ['test/invites/encryption.test'],
  },
  {
    id: 'invite-moved',
    promise: 'What you wrote cannot be put into the request of another.',
    find: `v1 \${inviteId}\``,
    replace: `v1 \${inviteId.length}\``,
    tests: ['test/invites/encryption.test'],
  },
  {
    id: 'invite-ticket-reused',
    promise: 'A form can be sent once.',
    find: "if ((await this.#counters.take(ONCE, ticket)) > 0) return 'wrong'",
    replace: '',
    tests: ['test/invites/question.test'],
  },
  {
    id: 'invite-unscripted-unbounded',
    promise: 'The form without scripts cannot be flooded.',
    find: "return (await this.#counters.take(UNSCRIPTED, 'all')) > 0 ? 'none_left' : 'right'",
    replace: "return 'right'",
    tests: ['test/invites/question-limits.test'],
  },
])
