import { defineFaults } from '../fault.ts'

/** Core: the inbox, pairing and invitations. */
export const MESSAGING_FAULTS = defineFaults([
  {
    id: 'inbox-full',
    about: 'An inbox accepts requests beyond its capacity',
    edits: [
      {
        find: "return messages < MAX_INBOX_MESSAGES ? ok(undefined) : err({ reason: 'inbox_full' })",
        replace: 'return ok(undefined)',
      },
    ],
    projects: ['core*'],
    tests: ['src/inbox/rules.test'],
  },
  {
    id: 'inbox-code-attempts',
    about: 'Contact codes can be guessed without limit',
    edits: [
      {
        find: 'row && now < row.expiresAt && row.attempts < MAX_CODE_ATTEMPTS ? row : null',
        replace: 'row && now < row.expiresAt ? row : null',
      },
    ],
    projects: ['core*'],
    tests: ['src/inbox/rules.test'],
  },
  {
    id: 'inbox-place-kept',
    about: 'A contact request whose code expires keeps its place for a day',
    edits: [
      {
        find: "'INSERT INTO admissions (request_id, until) VALUES (?, ?)', requestId, expiresAt)",
        replace:
          "'INSERT INTO admissions (request_id, until) VALUES (?, ?)', requestId, expiresAt + DELIVERED_COUNTS_MS)",
      },
    ],
    projects: ['core*'],
    tests: ['test/inbox/limits.test'],
  },
  {
    id: 'mailbox-dots',
    about: 'Each spelling of a mailbox has codes of its own',
    edits: [
      {
        find: "domains: ['gmail.com', 'googlemail.com'], ignores: /\\./g",
        replace: "domains: ['gmail.com', 'googlemail.com']",
      },
    ],
    projects: ['core*'],
    tests: ['test/inbox/limits.test'],
  },
  {
    id: 'mail-domain-uncounted',
    about: 'Codes to the addresses of one domain are not limited',
    edits: [{ find: '...domain.map((name) => ({ window: DOMAIN_CODES, name })),', replace: '' }],
    projects: ['core*'],
    tests: ['test/inbox/limits.test'],
  },
  {
    id: 'inbox-delivered-twice',
    about: 'One code delivers two messages',
    edits: [
      {
        find: "return presented.isCodeRight && presented.isSameEnvelope ? ok('again') : err({ reason: 'code_unusable' })",
        replace: "return presented.isCodeRight ? ok('deliver') : err({ reason: 'code_unusable' })",
      },
    ],
    projects: ['core*'],
    tests: ['src/inbox/rules.test'],
  },
  {
    id: 'pairing-token-guesses',
    about: 'Pairing tokens can be guessed ten times as often',
    edits: [{ find: 'return wrongTokens >= MAX_WRONG_TOKENS', replace: 'return wrongTokens > 10 * MAX_WRONG_TOKENS' }],
    projects: ['core*'],
    tests: ['src/rendezvous/rules.test'],
  },
  {
    id: 'pairing-consumed-twice',
    about: 'The result of a pairing offer can be fetched twice',
    edits: [
      {
        find: "this.stored.sql.exec('DELETE FROM offer') return ok(result) }) if (consumed.ok) await this.#forget()",
        replace: 'return ok(result) })',
      },
      {
        find: "this.ctx.storage.sql.exec('DELETE FROM offer') return ok(result) }) if (consumed.ok) await this.#forget()",
        replace: 'return ok(result) })',
      },
    ],
    projects: ['core*'],
    tests: ['test/rendezvous/faults.test'],
  },
  {
    id: 'invite-question-expired',
    about: 'The question on the invitation form never expires',
    edits: [
      {
        find: 'if (Number(askedAt) + MAX_AGE_SECONDS * 1000 <= now) return null',
        replace: '',
      },
    ],
    projects: ['core*'],
    tests: ['test/invites/question.test'],
  },
  {
    id: 'invite-mailed-by-all',
    about: 'Every act that approves a request mails its code',
    edits: [{ find: 'AND held_until <= ?6', replace: 'AND ?6 >= 0' }],
    projects: ['core*'],
    tests: ['test/invites/decision-races.test'],
  },
  {
    id: 'invite-code-made-anew',
    about: 'An approval that was interrupted is carried out with another code',
    edits: [
      {
        find: "const code = sealedCode === null ? null : await secrets.open(sealedCode, { kind: 'code', inviteId: invite.id })",
        replace: 'const code = sealedCode === null ? null : codeOf(crypto.getRandomValues(new Uint8Array(CODE_BYTES)))',
      },
    ],
    projects: ['core*'],
    tests: ['test/invites/decision-faults.test'],
  },
  {
    id: 'invite-code-kept',
    about: 'The code of an approval stays in the database after it was mailed',
    edits: [
      { find: 'SET done_at = ?2, sealed_code = NULL, held_until = 0', replace: 'SET done_at = ?2, held_until = 0' },
    ],
    projects: ['core*'],
    tests: ['test/invites/decisions.test'],
  },
  {
    id: 'invite-not-encrypted-anew',
    about: 'A change of the seed leaves requests under the old one',
    edits: [{ find: 'await store.reseal(replaced.filter((one) => one !== null))', replace: '' }],
    projects: ['core*'],
    tests: ['test/invites/encryption.test'],
  },
  {
    id: 'invite-moved',
    about: 'What one person wrote can be put into the row of another',
    edits: [
      {
        find: `v1 \${inviteId}\``,
        replace: `v1 \${inviteId.length}\``,
      },
    ],
    projects: ['core*'],
    tests: ['test/invites/encryption.test'],
  },
  {
    id: 'invite-ticket-reused',
    about: 'A ticket of the invitation form can be answered many times',
    edits: [{ find: "if ((await this.#counters.take(ONCE, ticket)) > 0) return 'wrong'", replace: '' }],
    projects: ['core*'],
    tests: ['test/invites/question.test'],
  },
  {
    id: 'invite-answered-at-once',
    about: 'The question on the invitation form can be answered at once',
    edits: [{ find: "if (now < opened.askedAt + MIN_AGE_SECONDS * 1000) return 'too_soon'", replace: '' }],
    projects: ['core*'],
    tests: ['test/invites/question.test'],
  },
  {
    id: 'invite-unscripted-unbounded',
    about: 'Any number of networks can leave requests without scripts',
    edits: [
      {
        find: "return (await this.#counters.take(UNSCRIPTED, 'all')) > 0 ? 'none_left' : 'right'",
        replace: "return 'right'",
      },
    ],
    projects: ['core*'],
    tests: ['test/invites/question-limits.test'],
  },
])
