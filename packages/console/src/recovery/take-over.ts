import { Client, type Device, Identity, type KeptRecovery, type RecoveryProgress } from '@svc/client'
import { formerAfter } from '@svc/client/backup'
import type { SheetRecord, SuccessorSheet } from '@svc/client/recovery-words'
import { chunk } from '../failures/chunk.ts'
import { SaidError } from '../failures/sentences.ts'
import { connectAsNobody, connectAsRoot } from '../keys/connect.ts'
import { findDevice, unlockDevice } from '../keys/device-keys.ts'
import type { Lock, LockedBy } from '../keys/lock.ts'
import { keepRoot, openRootKeys, type RootKeys } from '../keys/root-keys.ts'
import type { KnownSheets } from '../sheets/known-sheets.ts'
import { joinHere } from '../start/join.ts'
import { words } from '../words/recovery/words.ts'

export interface Recovering {
  readonly kept: KeptRecovery
  readonly successor: Identity
  /** The sheet that the key is derived from; null for a key that was written down itself. */
  readonly sheet: SuccessorSheet | null
  /** This browser, if it is a device of the identity: it co-signs. */
  readonly device: Device | null
  /** Whether the owner has said that a rotation to another key of their sheets is not theirs. */
  readonly dispute: boolean
}

/** The device of this browser, if it belongs to this identity; or what opens the keys of the device that is here. */
export async function deviceHere(
  did: string,
): Promise<{ readonly device: Device | null; readonly lockedBy: LockedBy | null }> {
  const found = await findDevice()
  if (found.state === 'locked') return { device: null, lockedBy: found.by }
  return { device: found.state === 'open' && found.device.did === did ? found.device : null, lockedBy: null }
}

/** Throws a `SaidError` if it is a device of another identity. */
export async function unlockedDevice(did: string, lock: Lock): Promise<Device> {
  const device = await unlockDevice(lock)
  if (device.did !== did) throw new SaidError(words.otherDevice)
  return device
}

let sender: Promise<Client> | undefined

/**
 * Everything is signed by the kept keys and the device, so anybody can send it: here an identity that is thrown away,
 * because a thief may have revoked the device.
 */
function connectAsSender(core: string): Promise<Client> {
  const make = async () => {
    const client = await Client.connect({ core, identity: await Identity.create() })
    await client.chain.genesis()
    return client
  }
  sender ??= make().catch((error: unknown) => {
    sender = undefined
    throw error
  })
  return sender
}

/**
 * Does what can be done now. Nothing is sent, and no sender made, while there is only something to wait for. Null if
 * another rotation is pending that may be the owner's own: ask before you dispute it.
 */
export async function proceed(core: string, recovering: Recovering): Promise<RecoveryProgress | null> {
  const { kept, successor, device, dispute } = recovering
  const nobody = await connectAsNobody(core)
  const { stage, next, isCommitted } = await nobody.recovery(kept).status()
  const canStart = next.act === 'start' && (isCommitted || device !== null)
  const canContest = next.act === 'contest' && (isCommitted || device !== null)
  const client = stage === 'due' || canStart || canContest ? await connectAsSender(core) : nobody
  try {
    return await client.recovery(kept).recover({ successor, dispute, ...(device && { device }) })
  } catch (error) {
    if (error instanceof Error && 'option' in error && error.option === 'dispute') return null
    throw error
  }
}

/** What the operator approves, also if nobody has sent it. */
export async function operatorFile(core: string, { kept }: Recovering) {
  return (await connectAsNobody(core)).recovery(kept).forOperator()
}

/**
 * The root keys of this browser that become former ones, newest first. Throws a `SaidError` if they are of another
 * identity. If the new key is here already, because an earlier try ended half-way, those that were kept with it.
 */
export async function formerHere({ successor }: Recovering, lock: Lock): Promise<RootKeys['former']> {
  const keys = await openRootKeys(lock)
  if (keys.identity.did !== successor.did) throw new SaidError(words.otherRoot)
  return keys.identity.publicKeyB64u === successor.publicKeyB64u ? keys.former : formerAfter(keys)
}

/** Returns the sheets that may follow the new key, once it is the root key. */
export async function sheetsAfter(
  core: string,
  { successor, sheet }: Recovering,
  others: readonly SuccessorSheet[] = [],
): Promise<KnownSheets> {
  const { knownSheets } = await chunk(() => import('../sheets/known-sheets.ts'))
  const root = await connectAsRoot(core, { identity: successor, former: [] })
  return knownSheets(root, successor, [...(sheet ? [sheet] : []), ...others])
}

interface TakingOver extends Recovering {
  readonly rotationId: string | null
  readonly former: RootKeys['former']
  /** The sheets that may follow. */
  readonly sheets: readonly SheetRecord[]
  readonly replaceable: boolean
}

/**
 * Stores the new root key in this browser, encrypted, and makes the browser a device of the identity. Returns the
 * recovery file for the next recovery. Call it once the new key is the root key.
 */
export async function takeOver(
  core: string,
  { successor, former, rotationId, sheets, replaceable }: TakingOver,
  lock: Lock,
): Promise<KeptRecovery> {
  const client = await connectAsRoot(core, { identity: successor, former })
  const { recordedSheet, renewRecovery } = await chunk(() => import('@svc/client/recovery-words'))
  const recovery = await renewRecovery(successor, {
    realm: client.realm,
    sheets: sheets.map(recordedSheet),
    replaceable,
  })
  const keys = { identity: successor, former, recovery, sheets }
  await keepRoot(keys, lock)
  if (rotationId !== null) await client.rotation.noteActivation(rotationId)
  await joinHere(core, keys, lock)
  return recovery
}
