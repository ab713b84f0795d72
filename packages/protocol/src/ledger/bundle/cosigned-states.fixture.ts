import { bytesOf } from '../../base/base64url.ts'
import { userIdOf } from '../../base/identity.ts'
import { signStatement } from '../../base/statement.ts'
import { type FixtureLog, ISSUED_AT, type LogSigner, REALM } from '../../merkle/rolled-log.fixture.ts'
import type { Seen } from '../cosigned/anchor-cosigned.ts'
import type { CosignedState, FirstState } from './anchor-bundle.ts'

/** A cosignature of a fixture log, and the anchor at an index; `members` override the statement. */
export async function seenIn(
  of: FixtureLog,
  { by, index, size, issuedAt = ISSUED_AT, ...members }: SeenAt,
): Promise<Seen> {
  const witness = userIdOf(bytesOf(by.ownerPublicKey))
  const { root } = (await of.checkpoint(size)).statement
  const head = { type: 'svc/transparency-cosignature/v1', realm: REALM, log: of.log, size, root } as const
  const statement = { ...head, witness, verifies: 'log', issuedAt, ...members } as const
  const signed = await signStatement(statement, (message) => by.sign(message))
  const proof = index < size ? of.inclusion(index, size) : []
  return { cosignature: { ...signed, publicKeyB64u: by.ownerPublicKey }, proof }
}

export interface SeenAt {
  readonly by: LogSigner
  readonly index: number
  readonly size: number
  readonly issuedAt?: number
  readonly [member: string]: unknown
}

/** The same in a bundle whose checkpoint has a size. */
export async function bundledIn(of: FixtureLog, at: SeenAt, newest: number): Promise<CosignedState> {
  return { ...(await seenIn(of, at)), consistency: of.consistency(at.size, newest) }
}

export const firstOf = ({ cosignature, consistency }: CosignedState): FirstState => ({ cosignature, consistency })
