/**
 * Whether an account that is about to be rebuilt is what its owner signed and the log has. Who can write records could plant
 * rows in them: a revoked device that is active, a device that nobody vouched for. The rules are those by which clients verify
 * a listing.
 *
 * @module
 */
import { RecordFault } from '@svc/objects/records'
import type { Realms } from '@svc/protocol/base/realm'
import { type AccountHead, agreedIn, updateLine } from '@svc/protocol/keys/account-updates'
import { packageFault, revocationFault } from '@svc/protocol/keys/packages'
import type { LogPosition } from '@svc/protocol/merkle/log-name'
import { isDeactivation } from '../rules.ts'
import { agreementFault, devicesFault, updatesFault } from './follows.ts'
import type { RebuiltDirectory, StoredUpdate } from './state.ts'

/** A root key of the account, as core tells it. */
export interface VouchingKey {
  readonly scope: string
  readonly publicKeyB64u: string
}

/** What is asked of others. */
export interface Witnesses {
  readonly labelOf: (did: string) => string
  /** What the map of accounts has; null for none. */
  readonly published: () => Promise<AccountHead | null>
  /** The line of a log at a place; null if it has none there. */
  readonly lineAt: (position: LogPosition) => Promise<string | null>
  readonly rootKey: (did: string, epoch: number) => Promise<VouchingKey | null>
}

/** Rejects with a `RecordFault` unless the account of this label is what was signed and logged. */
export async function proveDirectory(
  state: RebuiltDirectory,
  label: string,
  witnesses: Witnesses,
  realms: Realms,
): Promise<void> {
  const follows = updatesFault(state) ?? agreementFault(state, label) ?? devicesFault(state, label)
  if (follows) throw fault(follows)
  const proved = await proveLogged(state.updates, label, witnesses)
  // Core may have erased an identity that ended, with its keys. It has no devices any more.
  const hasEnded = state.updates.some(({ seq, statement }) => seq <= proved && isDeactivation(statement))
  await proveSigned(state, label, { ...witnesses, hasEnded }, realms)
}

/**
 * Of what the map has, no update can be another one or left out before it. An update that it does not have yet gives nobody a
 * package: that takes the signatures.
 */
async function proveLogged(updates: readonly StoredUpdate[], label: string, witnesses: Witnesses): Promise<number> {
  const published = await witnesses.published()
  const same = updates.find(({ seq }) => seq === published?.seq)
  if (same && same.head !== published?.head) throw fault(`update ${same.seq}: not that of the map of accounts`)
  if (same) return same.seq
  // The newest ones were lost, or the map was: each is compared with its leaf.
  const placed = updates.filter(({ position }) => position !== null || published !== null)
  for (const { seq, statementHash, statement, position } of placed) {
    const line = position && (await witnesses.lineAt(position))
    if (line !== updateLine({ label, seq, statementHash, ...agreedIn(statement) }))
      throw fault(`update ${seq}: not that of the log`)
  }
  return placed.at(-1)?.seq ?? 0
}

async function proveSigned(
  { packages, devices }: RebuiltDirectory,
  label: string,
  { labelOf, rootKey, hasEnded }: Witnesses & { readonly hasEnded: boolean },
  realms: Realms,
): Promise<void> {
  const keys = new Map<string, Promise<VouchingKey | null>>()
  const expected = async ({ did, deviceId, rootEpoch }: { did: string; deviceId: string; rootEpoch: number }) => {
    if (labelOf(did) !== label) throw fault(`device ${deviceId}: of another account`)
    const name = `${did} ${rootEpoch}`
    const asked = keys.get(name) ?? rootKey(did, rootEpoch)
    keys.set(name, asked)
    const key = await asked
    if (!key && hasEnded) return null
    if (!key) throw fault(`device ${deviceId}: root key of epoch ${rootEpoch}`)
    return { did, scope: key.scope, deviceId, rootEpoch, rootKeyB64u: key.publicKeyB64u, realms }
  }
  for (const { pair, deviceId } of packages) {
    const by = await expected({ ...pair.credential.statement, deviceId })
    const why = by && (await packageFault(pair, by))
    if (why) throw fault(`package of device ${deviceId}: ${why}`)
  }
  for (const { revocation, deviceId } of devices) {
    if (!revocation) continue
    const signed = revocation.revocation
    const by = await expected({ ...signed.statement, deviceId })
    const why = by && (await revocationFault(signed, by))
    if (why) throw fault(`revocation of device ${deviceId}: ${why}`)
  }
}

function fault(what: string): RecordFault {
  return new RecordFault(`The records are not what the owner signed and the log has: ${what}`)
}
