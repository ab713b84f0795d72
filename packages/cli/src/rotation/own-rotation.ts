import type { Identity } from '#client'
import type { KeySet } from '#client/backup'
import { locked } from '../cli-error.ts'
import type { Context } from '../context.ts'
import type { NextKey } from './next-keys.ts'
import { isPending, nothingPending, type RotationRecord } from './record-lines.ts'

/** A rotation to a key of this machine. */
interface OwnRotation {
  readonly successor: Identity
  /** Records of sheets that it may commit to. */
  readonly sheets: KeySet['sheets']
  readonly record: RotationRecord
}

/**
 * Returns the rotation to activate, or the active one, which an earlier run may not have finished. Throws if the newest
 * rotation is not from this machine: it may be that of a thief.
 */
export async function ownRotation(
  context: Context,
  { did, keys, next }: { readonly did: string; readonly keys: KeySet; readonly next: readonly NextKey[] },
): Promise<OwnRotation> {
  const client = await context.clientOf(keys)
  const root = (await client.keyHistory.of(did)).at(-1)
  // Later requests do not matter: only this machine has the current root key.
  const current = next.find(({ successor }) => successor.userId === root?.userId)
  if (current) return active(context, keys, next, current.successor)
  const record = await client.keyHistory.rotation(did)
  if (!record) throw nothingPending()
  const ours = next.find(({ rotationId }) => rotationId === record.rotationId)
  if (ours) return { ...ours, record }
  const { identity, sheets } = keys
  if (identity && record.status === 'active' && record.newUserId === identity.userId)
    return { successor: identity, sheets, record }
  if (!isPending(record) && record.status !== 'active') throw nothingPending()
  const otherwise =
    record.status === 'active'
      ? 'or take the key over with svc recovery run and the words of its sheet'
      : 'if you did not start this rotation, svc rotate veto'
  throw locked(
    'key_missing',
    'The root key that the newest rotation leads to is not on this machine',
    `run it where svc rotate start was run; ${otherwise}`,
  )
}

/**
 * Returns the rotation that introduced the root key. Asks with the new key, because core refuses the previous one. Several
 * requests can lead to one key and commit to different sheets, so all their records are returned.
 */
async function active(
  context: Context,
  keys: KeySet,
  next: readonly NextKey[],
  successor: Identity,
): Promise<OwnRotation> {
  const client = await context.clientOf({ ...keys, identity: successor })
  const { active: record } = await client.rotation.current()
  if (!record) throw nothingPending()
  return { successor, sheets: next.flatMap(({ sheets }) => sheets), record }
}
