import type { OperatorKey } from '@svc/client/operator'

/** For what needs no key. */
export const NO_KEY: OperatorKey = {
  sign: () => Promise.reject(new TypeError('The operator’s key is not open')),
}
