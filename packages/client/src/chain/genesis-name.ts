import type { LogName } from '../memory/errors.ts'

/** By which a client remembers the genesis block of an identity. */
export function genesisName(did: string): LogName {
  return { kind: 'genesis', of: did }
}
