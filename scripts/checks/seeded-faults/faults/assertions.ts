import { defineFaults } from '../fault.ts'

/** Assertions: what they are bound to, who may spend them, and that each serves once. */
export const ASSERTION_FAULTS = defineFaults([
  {
    id: 'credential-missing',
    about: 'Requests without a credential reach the handler',
    edits: [
      {
        find: 'if (isOptional) return null throw refusalError(',
        replace: "if (isOptional || verdict.error.reason === 'missing') return null\n    throw refusalError(",
      },
    ],
    projects: ['pay'],
    tests: ['test/security.test'],
  },
  {
    id: 'credential-trailing',
    about: 'A credential with trailing bytes is accepted',
    edits: [{ find: '\\.([A-Za-z0-9_-]+)$/i.exec(header)', replace: '\\.([A-Za-z0-9_-]+)/i.exec(header)' }],
    projects: ['assertion', 'pay'],
    tests: ['src/payload.test'],
  },
  {
    id: 'user-of-another-key',
    about: 'An assertion can claim the userId of another key',
    edits: [
      {
        find: "return (await userIdOfAsync(publicKey)) === userId ? ok(publicKey) : err('userId')",
        replace: 'return ok(publicKey)',
      },
    ],
    projects: ['assertion', 'pay'],
    tests: ['src/verify.test'],
  },
  {
    id: 'audience',
    about: 'An assertion for one service is accepted by another',
    edits: [
      {
        find: "if (!policy.expectedAudiences.some((audience) => audience === claimed['aud'])) return err({ reason: 'audience' })",
        replace: "if (typeof claimed['aud'] !== 'string') return err({ reason: 'audience' })",
      },
    ],
    projects: ['assertion', 'pay'],
    tests: ['src/verify.test'],
  },
  {
    id: 'time-expired',
    about: 'Expired assertions are accepted',
    edits: [{ find: "if (expiresAt + skewMs <= now) return { reason: 'expired' }", replace: '' }],
    projects: ['assertion', 'pay'],
    tests: ['src/verify-device.test'],
  },
  {
    id: 'time-early',
    about: 'Assertions are accepted before they become valid',
    edits: [{ find: "if (issuedAt > now + skewMs) return { reason: 'not_yet_valid' }", replace: '' }],
    projects: ['assertion', 'pay'],
    tests: ['src/verify-device.test'],
  },
  {
    id: 'time-long',
    about: 'The lifetime of an assertion is not limited',
    edits: [{ find: "if (expiresAt - issuedAt > MAX_LIFETIME_MS) return { reason: 'too_long' }", replace: '' }],
    projects: ['assertion', 'pay'],
    tests: ['src/verify-device.test'],
  },
  {
    id: 'binding-method',
    about: 'An assertion bound to one method is accepted for another',
    edits: [{ find: "if (payload.htm !== undefined && payload.htm !== request.method) return 'htm'", replace: '' }],
    projects: ['assertion', 'pay'],
    tests: ['src/verify-device.test'],
  },
  {
    id: 'binding-url',
    about: 'An assertion bound to one deployment is accepted by another',
    edits: [
      {
        find: '!expectedOrigins.some((origin) => payload.htu === origin + request.target)',
        replace: '!payload.htu.endsWith(request.target)',
      },
    ],
    projects: ['assertion', 'pay'],
    tests: ['src/verify-binding.test'],
  },
  {
    id: 'binding-body',
    about: 'An assertion bound to one body is accepted with another',
    edits: [
      {
        find: "if (hash !== null && hash !== payload.bodyHash) return err({ reason: 'binding', member: 'bodyHash' })",
        replace: '',
      },
    ],
    projects: ['assertion', 'pay'],
    tests: ['src/verify-binding.test'],
  },
  {
    id: 'binding-device-origin',
    about: 'A device is accepted from a page of another Origin',
    edits: [
      { find: "if (payload.version === 2 && !isAtHome(payload.origin, request.origin)) return 'origin'", replace: '' },
    ],
    projects: ['assertion', 'core*'],
    tests: ['src/verify-device.test'],
  },
  {
    id: 'assertion-signature',
    about: 'Assertion signatures are not verified',
    edits: [
      {
        find: "if (!(await mlDsa65.verify(key.value, payloadBytes, signature))) return err({ reason: 'signature' })",
        replace: '',
      },
    ],
    projects: ['assertion', 'pay'],
    tests: ['src/verify.test'],
  },
  {
    id: 'nonce-window',
    about: 'A nonce is forgotten while its assertion can still be accepted',
    edits: [{ find: 'keepUntil: expiresAt + policy.skewMs', replace: 'keepUntil: expiresAt' }],
    projects: ['assertion', 'pay'],
    tests: ['src/verify.test'],
  },
  {
    id: 'nonce-replayed',
    about: 'A nonce can be spent twice',
    edits: [
      { find: "if (standing !== 'fresh') return standing", replace: "if (standing === 'expired') return standing" },
      { find: '`INSERT INTO ${this.#tableOf', replace: '`INSERT OR IGNORE INTO ${this.#tableOf' },
    ],
    projects: ['assertion', 'pay'],
    tests: ['test/nonces.test'],
  },
  {
    id: 'nonce-of-another-hour',
    about: 'A nonce can be spent again with an expiry in another hour',
    edits: [{ find: 'return hours.some(isSpent)', replace: 'return hours.slice(-1).some(isSpent)' }],
    projects: ['assertion'],
    tests: ['test/nonce-hours.test'],
  },
  {
    id: 'nonce-forgotten',
    about: 'A nonce that was dropped can be spent again when the clock is set back',
    edits: [{ find: 'keepUntil <= now || keepUntil < forgotten', replace: 'keepUntil <= now' }],
    projects: ['assertion'],
    tests: ['test/nonce-hours.test'],
  },
  {
    id: 'nonce-dropped-early',
    about: 'Nonces are dropped while their hour lasts',
    edits: [
      { find: 'hours.filter((hour) => endOf(hour) <= now)', replace: 'hours.filter((hour) => hour <= hourOf(now))' },
    ],
    projects: ['assertion', 'core'],
    tests: ['test/nonce-hours.test', 'test/faults.test'],
  },
  {
    id: 'nonce-of-device',
    about: 'Services other than core do not spend the nonces of devices',
    edits: [
      {
        find: "import type { IdentityTransaction, Refused } from './transaction.ts'",
        replace:
          "import { callerOf } from './caller.ts'\nimport type { IdentityTransaction, Refused } from './transaction.ts'",
      },
      {
        find: 'return transaction.authorized(named, (_, caller) => ok(caller))',
        replace: `const owner = transaction.read()
  if (device && owner) return ok(callerOf(owner, assertion))
  return transaction.authorized(named, (_, caller) => ok(caller))`,
      },
    ],
    projects: ['core*', 'pay'],
    tests: ['test/internal/spend.test'],
  },
  {
    id: 'nonce-of-two-services',
    about: 'Pay and provenance do not share their nonces',
    edits: [{ find: "caller === 'pay' ? 'provenance' : caller", replace: 'caller' }],
    projects: ['core*'],
    tests: ['test/internal/spend.test'],
  },
  {
    id: 'nonce-after-work',
    about: 'Core spends a nonce only when the work succeeds',
    edits: [
      {
        find: `const { signer, nonce, keepUntil, issuedAt } = assertion
               const outcome = this.#nonces.spend(signer, nonce, keepUntil, Date.now(), issuedAt)
               if (outcome !== 'spent') return err({ reason: outcome })
               if (!mayUse(assertion.requiredCapability, assertion.device)) return persist(err({ reason: 'capability' }))
               return persist(
                 this.stored.transact((): Result<T, E | Refused> => work(standing.value, callerOf(standing.value, assertion))),
               )`,
        replace: `if (!mayUse(assertion.requiredCapability, assertion.device)) return err({ reason: 'capability' })
      const done = work(standing.value, callerOf(standing.value, assertion))
      if (!done.ok) return done
      const outcome = this.#nonces.spend(assertion.signer, assertion.nonce, assertion.keepUntil, Date.now())
      return outcome === 'spent' ? done : err({ reason: outcome })`,
      },
      {
        find: `const { signer, nonce, keepUntil, issuedAt } = assertion
               const outcome = this.#nonces.spend(signer, nonce, keepUntil, Date.now(), issuedAt)
               if (outcome !== 'spent') return err({ reason: outcome })
               if (!mayUse(assertion.requiredCapability, assertion.device)) return err({ reason: 'capability' })
               return work(standing.value, callerOf(standing.value, assertion))`,
        replace: `if (!mayUse(assertion.requiredCapability, assertion.device)) return err({ reason: 'capability' })
      const done = work(standing.value, callerOf(standing.value, assertion))
      if (!done.ok) return done
      const outcome = this.#nonces.spend(assertion.signer, assertion.nonce, assertion.keepUntil, Date.now())
      return outcome === 'spent' ? done : err({ reason: outcome })`,
      },
    ],
    projects: ['core*'],
    tests: ['test/inception/device-assertions.test'],
  },
  {
    id: 'key-superseded',
    about: 'A superseded root key can still act',
    edits: [
      {
        find: 'if (record.current.userId === userId) return ok(record)',
        replace: 'if (record.current.userId === userId || known(userId)) return ok(record)',
      },
    ],
    projects: ['core*'],
    tests: ['test/rotation/succession.test'],
  },
  {
    id: 'key-deactivated',
    about: 'A deactivated identity can still act',
    edits: [{ find: "if (record.deactivatedAt !== null) return err({ reason: 'deactivated' })", replace: '' }],
    projects: ['core*'],
    tests: ['test/identity/deactivation.test'],
  },
  {
    id: 'key-answer-of-another',
    about: 'Core’s answer about a different key is accepted',
    edits: [
      {
        find: "if (!isAnswerTo(assertion, spent.value)) return err({ reason: 'unavailable', dependency: 'core' })",
        replace: '',
      },
    ],
    projects: ['service', 'pay'],
    tests: ['test/guard.test'],
  },
  {
    id: 'device-revoked',
    about: 'A revoked device can still act',
    edits: [{ find: "if (standing.status === 'revoked') return 'device_revoked'", replace: '' }],
    projects: ['assertion', 'core*'],
    tests: ['src/device.test'],
  },
  {
    id: 'device-of-old-key',
    about: 'A device attested by a superseded root key can still act',
    edits: [
      {
        find: 'if (standing.rootEpoch !== standing.currentEpoch || device.rootEpoch !== standing.currentEpoch)',
        replace: 'if (device.rootEpoch !== standing.rootEpoch)',
      },
    ],
    projects: ['assertion', 'core*'],
    tests: ['src/device.test'],
  },
  {
    id: 'device-claims-more',
    about: 'A device can claim capabilities it was not granted',
    edits: [
      {
        find: "if (!device.capabilities.every((name) => standing.capabilities.includes(name))) return 'device_capabilities'",
        replace: '',
      },
    ],
    projects: ['assertion', 'core*'],
    tests: ['src/device.test'],
  },
  {
    id: 'device-as-root',
    about: 'A device can use routes reserved for the root key',
    edits: [
      {
        find: "return required !== 'root' && device.capabilities.includes(required)",
        replace: "return required === 'root' || device.capabilities.includes(required)",
      },
    ],
    projects: ['assertion', 'core*'],
    tests: ['src/device.test'],
  },
  {
    id: 'device-revocation-cached',
    about: 'Writes by a device rely on cached device state',
    edits: [{ find: `\${isMutation ? '&consistency=primary' : ''}\``, replace: '`' }],
    projects: ['service', 'pay', 'keys'],
    tests: ['src/auth/sibling-gate.test'],
  },
])
