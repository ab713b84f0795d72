import { defineFaults } from '../fault.ts'

/** The keys Worker: prekeys, packages, the transparency log, guardians and epochs. */
export const KEYS_FAULTS = defineFaults([
  {
    id: 'map-earlier-pages',
    about: 'A bucket proves the next map as if it were the signed one',
    edits: [
      {
        find: 'isNow ? this.#store.at(known.epoch) : this.#store.before(known.epoch)',
        replace: 'this.#store.at(known.epoch)',
      },
    ],
    projects: ['keys'],
    tests: ['account-map'],
  },
  {
    id: 'map-step-repeated',
    about: 'A step of a map that is repeated after a crash is counted twice',
    edits: [
      {
        find: 'if (known.epoch === epoch && known.step === step && known.until === until) return ok(known.head)',
        replace: '',
      },
    ],
    projects: ['keys'],
    tests: ['account-map'],
  },
  {
    id: 'map-made-twice',
    about: 'A restored object makes a map that the log has already',
    edits: [{ find: 'if (entry) map = { entry, log: to.log, index }', replace: '' }],
    projects: ['keys'],
    tests: ['account-map', 'faults'],
  },
  {
    id: 'prekey-drawn-twice',
    about: 'A one-time prekey is handed out more than once',
    edits: [{ find: "if (kind === 'one-time') {", replace: "if (kind === 'last-resort') {" }],
    projects: ['keys'],
    tests: ['prekeys', 'directory-races'],
  },
  {
    id: 'prekey-fallback',
    about: 'A last-resort prekey is handed out without being asked for',
    edits: [
      {
        find: "const mayFallBack = fallbackPolicy === 'last-resort-allowed' && profile !== 'bound-v4'",
        replace: "const mayFallBack = profile !== 'bound-v4' || fallbackPolicy === 'last-resort-allowed'",
      },
    ],
    projects: ['keys'],
    tests: ['prekeys'],
  },
  {
    id: 'prekey-idempotency',
    about: 'An idempotency key is accepted for a different request',
    edits: [
      {
        find: "if (before.bodyHash !== bodyHash) return err({ reason: 'idempotency_conflict' }) const prekey",
        replace: 'const prekey',
      },
    ],
    projects: ['keys'],
    tests: ['prekeys'],
  },
  {
    id: 'prekey-share',
    about: 'Strangers draw the prekeys that are kept for contacts',
    edits: [{ find: "return standing === 'contact' ? oneTime : oneTime - kept", replace: 'return oneTime' }],
    projects: ['keys'],
    tests: ['prekeys'],
  },
  {
    id: 'prekey-limit-shared',
    about: 'Strangers use up what contacts may reserve in a day',
    edits: [{ find: 'coalesce(sum(standing = ?3), 0)', replace: 'coalesce(sum(standing = ?3 OR true), 0)' }],
    projects: ['keys'],
    tests: ['prekeys'],
  },
  {
    id: 'prekey-challenge',
    about: 'Strangers pass without the challenge that an account asks for',
    edits: [{ find: "return reserve === 'challenge' ? null : 'stranger'", replace: "return 'stranger'" }],
    projects: ['keys'],
    tests: ['prekeys'],
  },
  {
    id: 'package-revoked-prekeys',
    about: 'Revoking a package leaves its prekeys available',
    edits: [{ find: 'this.#prekeys.supersede(deviceId) this.directory.revoke', replace: 'this.directory.revoke' }],
    projects: ['keys'],
    tests: ['revocation', 'prekeys'],
  },
  {
    id: 'package-rolled-back',
    about: 'An older package replaces a newer one',
    edits: [
      {
        find: 'return version > device.version && version > device.revokedVersion',
        replace: 'return version > device.revokedVersion',
      },
    ],
    projects: ['keys'],
    tests: ['packages', 'revocation'],
  },
  {
    id: 'refusal-kept',
    about: 'A refused upload is partly stored',
    edits: [
      { find: 'throw ROLL_BACK', replace: 'return outcome' },
      { find: 'throw new RefusedTransaction()', replace: 'return result' },
    ],
    projects: ['keys'],
    tests: ['packages', 'prekeys'],
  },
  {
    id: 'update-unordered',
    about: 'The updates of an account reach the log in another order',
    edits: [
      {
        find: 'WHERE outbox.log = ? AND idx IS NULL ORDER BY seq LIMIT ?',
        replace: 'WHERE outbox.log = ? AND idx IS NULL ORDER BY seq DESC LIMIT ?',
      },
    ],
    projects: ['keys'],
    tests: ['test/transparency/updates.test'],
  },
  {
    id: 'listing-hides-update',
    about: 'A listing leaves out updates that were replaced',
    edits: [
      {
        find: 'statement: row || revocation ? null : statement,',
        replace: 'statement: null,',
      },
    ],
    projects: ['keys'],
    tests: ['test/transparency/updates.test', 'test/directory/revocation.test'],
  },
  {
    id: 'witness-goes-back',
    about: 'An older cosignature replaces a newer one',
    edits: [
      {
        find: 'DO UPDATE SET size = ?2, signed = ?3 WHERE size <= ?2',
        replace: 'DO UPDATE SET size = ?2, signed = ?3',
      },
    ],
    projects: ['keys'],
    tests: ['test/transparency/transparency.test'],
  },
  {
    id: 'guardian-self',
    about: 'An identity can be its own guardian',
    edits: [{ find: "if (guardians.includes(did)) return 'guardian_self'", replace: '' }],
    projects: ['keys'],
    tests: ['guardians'],
  },
  {
    id: 'guardian-stranger',
    about: 'Anyone can attest as a guardian',
    edits: [{ find: "if (!request.guardians.includes(guardianDid)) return 'unknown_signer'", replace: '' }],
    projects: ['keys'],
    tests: ['guardians'],
  },
  {
    id: 'epoch-members-early',
    about: 'The members of the open epoch are swept',
    edits: [{ find: 'WHERE e.closes_at <= ?1 LIMIT ?2', replace: 'WHERE e.opens_at <= ?1 LIMIT ?2' }],
    projects: ['keys'],
    tests: ['test/upkeep.test'],
  },
  {
    id: 'epoch-overlap',
    about: 'Two epochs can overlap',
    edits: [
      {
        find: 'WHERE NOT EXISTS (SELECT 1 FROM epochs WHERE epoch >= ?1 OR closes_at > ?2)',
        replace: 'WHERE NOT EXISTS (SELECT 1 FROM epochs WHERE epoch >= ?1)',
      },
    ],
    projects: ['keys'],
    tests: ['epochs'],
  },
  {
    id: 'package-untold',
    about: 'What core was not told of a package, because it was down, is never told',
    edits: [{ find: 'if (!hasArrived) this.#failed(now)\n    else for', replace: 'for' }],
    projects: ['keys', 'core*'],
    tests: ['test/directory/owner-events', 'test/rotation/updates.test'],
  },
])
