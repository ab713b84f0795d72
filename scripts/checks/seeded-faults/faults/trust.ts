import { defineFaults } from '../fault.ts'

/** Credentials that are not assertions: calls between Workers, operator acts, bot challenges. */
export const TRUST_FAULTS = defineFaults([
  {
    id: 'internal-secret',
    about: 'Internal calls are accepted with any secret',
    find: 'if (presented === null || !isInternalSecret(presented, secrets)) return null',
    replace: 'if (presented === null) return null',
    tests: ['src/internal/internal.test'],
  },
  {
    id: 'secret-length',
    about: 'A secret of the wrong length compares as equal',
    find: 'crypto.subtle.timingSafeEqual(a, same ? b : a) && same',
    replace: 'crypto.subtle.timingSafeEqual(a, same ? b : a)',
    tests: ['src/internal/internal.test'],
  },
  {
    id: 'internal-caller',
    about: 'Any sibling can call any internal route',
    find: 'return callers.find((name) => name === props?.caller) ?? null',
    replace: "return typeof props?.caller === 'string' ? (props.caller as never) : null",
    tests: ['test/internal/internal.test'],
  },
  {
    id: 'operator-replay',
    about: 'An operator act runs again each time it is sent',
    find: "if (recorded.done || recorded.signed !== signed) return err({ reason: 'replay' })",
    replace: "if (recorded.signed !== signed) return err({ reason: 'replay' })",
    tests: ['test/operator/operator.test'],
  },
  {
    id: 'operator-time',
    about: 'Operator acts never expire',
    find: "if (Math.abs(now - issuedAt) > OPERATOR_ACT_TOLERANCE_MS) return err({ reason: 'expired' })",
    replace: '',
    tests: ['test/operator/operator.test'],
  },
  {
    id: 'challenge-elsewhere',
    about: 'A bot challenge solved on another site is accepted',
    find: "if (hostname === undefined || !expected.hostnames.includes(hostname)) return err({ reason: 'hostname' })",
    replace: "if (hostname === undefined) return err({ reason: 'hostname' })",
    tests: ['src/auth/bot-challenge.test'],
  },
])
