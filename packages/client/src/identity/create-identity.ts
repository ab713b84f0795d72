import type { Realms } from '#protocol/base/realm'
import { type Commitment, commitmentHash, NO_COMMITMENT } from '#protocol/chain/commitment'
import type { AttestDevice } from '#protocol/devices/inception'
import type { Chain } from '../chain/chain.ts'
import type { KeyHistory } from '../chain/key-history.ts'
import type { Devices } from '../devices/devices.ts'
import type { CommitmentOptions } from '../recovery/commitment-of.ts'
import type { KeptRecovery } from '../recovery/kept-recovery.ts'
import type { SheetRecord } from '../recovery/sheet-record.ts'
import type { SuccessorSheet } from '../recovery/successor-sheet.ts'
import { ConfigurationError } from '../transport/configuration-error.ts'
import { ServiceError } from '../transport/service-error.ts'
import type { Watch } from '../watch/watch.ts'
import { WatchToken } from '../watch/watch-token.ts'
import type { Device } from './device.ts'
import { Identity } from './identity.ts'

/** What must not be lost: store it before anything is sent. */
export interface CreatedKeys {
  readonly identity: Identity
  readonly device: Device
  /** The requests of a recovery, without secrets: keep them apart from the root key. */
  readonly kept: KeptRecovery
  /** The key that a recovery rotates to: keep it apart from both. With sheets, keep their words instead. */
  readonly successor: Identity
  /** The record of each sheet, without its words: keep it with the root key. Empty without sheets. */
  readonly sheets: readonly SheetRecord[]
  /** Shows device changes and pending rotations without a key. Keep it on another machine, or give it to a friend. */
  readonly watchToken: WatchToken
}

export interface NewIdentityOptions extends CommitmentOptions {
  /** The first device. To recover with it, it asks for `rotation:cosign`, and counts after a day. */
  readonly device: Device
  /** Stores the keys where the user chooses. Awaited before anything is sent; if it throws, nothing is. */
  readonly keep: (keys: CreatedKeys) => unknown
  /** Default: a new one, in memory. */
  readonly identity?: Identity
  /**
   * Sheets of words in different places. The identity commits to their keys: nobody else's key can follow. Store their
   * words in `keep`, and pass the same sheets when you call again. Default: no commitment.
   */
  readonly sheets?: readonly SuccessorSheet[]
  /** Default: a new token. Pass the same token when you call again. */
  readonly watchToken?: WatchToken
}

export interface NewIdentity<C> extends CreatedKeys {
  /** A client of the root key. Its `did.register` publishes the keys of the sheets, to which devices encrypt notes. */
  readonly client: C
}

/** What is used of a client. */
interface RootClient {
  readonly realm: string
  readonly realms: Realms
  readonly chain: Pick<Chain, 'genesis' | 'readGenesis'>
  readonly devices: Pick<Devices, 'attest' | 'verify'>
  readonly keyHistory: Pick<KeyHistory, 'of'>
  readonly watch: Pick<Watch, 'make'>
}

/** Creates clients for the new keys. */
export interface ClientsOf<C> {
  /** Creates a client of the root key, which publishes the sheets with `did.register`. */
  readonly root: (identity: Identity, sheets: readonly SheetRecord[]) => C
  readonly device: (device: Device) => C
}

/** See `client.createIdentity`. */
export async function createIdentity<C extends RootClient>(
  options: NewIdentityOptions,
  clientOf: ClientsOf<C>,
): Promise<NewIdentity<C>> {
  const identity = options.identity ?? (await Identity.create())
  const { device, sheets = [], replaceable, watchToken = WatchToken.create() } = options
  const records = await recordsOf(sheets, identity)
  const client = clientOf.root(identity, records)
  const { realm, realms } = client
  const commitment = sheets.length > 0 ? await commitmentTo(sheets, identity, { replaceable }) : NO_COMMITMENT
  const { kept, successor } = await identity.prepareRecovery({ realm, sheets, replaceable })
  await options.keep({ identity, device, kept, successor, sheets: records, watchToken })
  const exists = await begin(client, identity, commitment)
  await client.watch.make(watchToken)
  const earlier = exists ? await earlierOf(client, device) : undefined
  const attestation = earlier ?? (await client.devices.attest(await device.acceptance(identity.did, { realm })))
  const keys = await client.keyHistory.of(identity.did)
  const member = await device.attested(attestation, keys, realms)
  if (await member.watchToken()) await clientOf.device(member).watch.make()
  return { client, identity, device: member, kept, successor, sheets: records, watchToken }
}

/** Whether an earlier call created it. Its block is verified to be by this identity's key. */
async function begin({ chain }: RootClient, { did }: Identity, commitment: Commitment): Promise<boolean> {
  try {
    await chain.genesis(commitment.next.length > 0 ? { commitment } : {})
    return false
  } catch (error) {
    if (!(error instanceof ServiceError) || error.error !== 'genesis_conflict') throw error
    const { block } = await chain.readGenesis(did)
    if (block.metadataHash !== commitmentHash(commitment)) throw otherSheets()
    return true
  }
}

/** Keys that nobody will have must not look like those that can follow. */
function otherSheets(): ConfigurationError {
  return new ConfigurationError(
    'sheets',
    'The identity was created with other sheets: pass those that `keep` stored when it was created',
  )
}

async function commitmentTo(
  sheets: readonly SuccessorSheet[],
  { scope }: Identity,
  options: CommitmentOptions,
): Promise<Commitment> {
  const { commitmentOf } = await import('../recovery/commitment-of.ts')
  return commitmentOf(sheets, { scope, epoch: 1 }, options)
}

async function recordsOf(sheets: readonly SuccessorSheet[], { scope }: Identity): Promise<readonly SheetRecord[]> {
  if (sheets.length === 0) return []
  const { recordOfSheet } = await import('../recovery/sheet-record.ts')
  return Promise.all(sheets.map((sheet) => recordOfSheet(sheet, { scope, epoch: 1 })))
}

/** The attestation of an earlier call whose answer was lost. */
async function earlierOf({ devices }: RootClient, { deviceId }: Device): Promise<AttestDevice | undefined> {
  const { attestations } = await devices.verify()
  return attestations.find(({ statement }) => statement.deviceId === deviceId)
}
