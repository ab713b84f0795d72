import { defineFaults } from '../fault.ts'

/** Credentials that are not assertions: calls between Workers, operator acts, bot challenges. */
export const TRUST_FAULTS = defineFaults([
  {
    id: 'internal-secret',
    promise: 'Only siblings can call internal routes.',
    find: 'if (presented === null || !isInternalSecret(presented, secrets)) return null',
    replace: 'if (presented === null) return null',
    tests: ['src/internal/internal.test'],
  },
  {
    id: 'internal-caller',
    promise: 'A sibling can call only the routes that it needs.',
    find: 'return callers.find((name) => name === props?.caller) ?? null',
    replace: "return typeof props?.caller === 'string' ? (props.caller as never) : null",
    tests: ['test/internal/internal.test'],
  },
  {
    id: 'operator-replay',
    promise: 'An act of an operator runs once.',
    find: "if (recorded.done || recorded.signed !== signed) return err({ reason: 'replay' })",
    replace: "if (recorded.signed !== signed) return err({ reason: 'replay' })",
    tests: ['test/operator/operator.test'],
  },
  {
    id: 'operator-time',
    promise: 'An act of an operator is good for minutes.',
    find: "if (Math.abs(now - issuedAt) > OPERATOR_ACT_TOLERANCE_MS) return err({ reason: 'expired' })",
    replace: '',
    tests: ['test/operator/operator.test'],
  },
  {
    id: 'challenge-elsewhere',
    promise: 'A challenge solved elsewhere does not count.',
    find: 'if (hostname == null || !expected.hostnames.includes(hostname)) return err',
    replace: 'if (hostname == null) return err',
    tests: ['src/auth/bot-challenge.test'],
  },
])
