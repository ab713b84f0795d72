/**
 * Whether a statement that names a head of the inception log (`base/inception-head`) was signed by a key that could
 * sign it then, and what has become of the key since (workers/docs/pages/developer/statements.md, “Order”).
 *
 * The thief of a key that has ended can name any head from before its end. So what an ended key signed counts only if
 * something from before the end follows it: that is evidence which the thief cannot make, because another key signed it.
 *
 * @module
 */
import { type Capability, deviceIdOf } from '../base/device.ts'
import type { KnownInception } from '../base/inception-head.ts'
import type { EpochKey } from '../chain/chain.ts'
import type { Device } from './inception.ts'

/** What a signing key is today. `revoked`: a device that was revoked or suspended, has expired or lost the capability. */
export const SIGNER_STATES = ['active', 'revoked', 'superseded'] as const
export type SignerState = (typeof SIGNER_STATES)[number]

/** Why a statement does not count. */
export type SignerFault =
  /** No key of this identity, as far as the reader knows. */
  | 'wrong_key'
  /** The log does not have the head that it names. */
  | 'unknown_head'
  /** The key could not sign this at the head that it names: not yet, not any more, or without the capability. */
  | 'not_entitled'
  /** The key has ended, and nothing from before its end follows the statement. */
  | 'unordered'

/** Of a key that has ended, `unordered` has what it is today as well. */
export type SignerStanding =
  | { readonly signer: SignerState; readonly fault: null }
  | { readonly signer: SignerState; readonly fault: 'unordered' }
  | { readonly signer: null; readonly fault: Exclude<SignerFault, 'unordered'> }

const active: SignerStanding = { signer: 'active', fault: null }
const refused = (fault: Exclude<SignerFault, 'unordered'>): SignerStanding => ({ signer: null, fault })

/** A state of the inception log: the genesis block, or an event and what it made of its device. */
export interface InceptionStep {
  readonly hash: string
  readonly rootEpoch: number
  /** Time that the root key claims, epoch ms; 0 for the genesis block. */
  readonly issuedAt: number
  /** Null for the genesis block and for an event about officers. */
  readonly device: Device | null
}

/** What a reader knows of an identity. */
export interface SignerHistory {
  /** Its root keys by epoch, the current one last. */
  readonly keys: readonly EpochKey[]
  /** Every state of its verified log, by sequence; null for a reader who cannot see the log. */
  readonly log: readonly InceptionStep[] | null
  /** Epoch ms. */
  readonly now: number
}

export interface PlacedStatement {
  readonly publicKeyB64u: string
  readonly inception: KnownInception
  readonly issuedAt: number
  /** What a device needs to sign it; null if every device may. */
  readonly capability: Capability | null
}

/** When something is known to have been there already: which events and keys came later. */
export interface SignedPlace {
  /** Of the root key then. */
  readonly epoch: number
  /** The newest event then; null if only the root key is known. */
  readonly sequence: number | null
  /** A time that it is proved to be older than, epoch ms; null without such a proof. Only the end of a device by expiry needs it. */
  readonly before: number | null
}

/**
 * Returns the newest root key and event from before a time. These times are claims: core reports when a root key was
 * activated, and the root key dates its own events.
 */
export function placeAt(
  keys: readonly (EpochKey & { readonly activatedAt: number })[],
  log: readonly InceptionStep[] | null,
  at: number,
): SignedPlace {
  const epoch = keys.findLast(({ activatedAt }) => activatedAt < at)?.epoch ?? 0
  const sequence =
    log &&
    Math.max(
      0,
      log.findLastIndex(({ issuedAt }) => issuedAt < at),
    )
  return { epoch, sequence, before: at }
}

/**
 * The standing of a statement's key. `followedAt` is the place of something that commits to the statement and that this
 * key alone could not have made; null without it. The signature is checked separately.
 */
export function signerStanding(
  history: SignerHistory,
  statement: PlacedStatement,
  followedAt: SignedPlace | null = null,
): SignerStanding {
  const named = namedStep(history, statement.inception)
  if (named === 'unknown') return refused('unknown_head')
  const root = history.keys.find(({ publicKeyB64u }) => publicKeyB64u === statement.publicKeyB64u)
  if (root) return rootStanding(history, root, named, followedAt)
  return history.log ? deviceStanding(history, history.log, statement, followedAt) : refused('wrong_key')
}

/** Null if the reader cannot see the log, or the statement names nothing. */
function namedStep({ log }: SignerHistory, inception: KnownInception): InceptionStep | null | 'unknown' {
  if (!log || !inception) return null
  const step = log[inception.sequence]
  return step?.hash === inception.hash ? step : 'unknown'
}

function rootStanding(
  { keys }: SignerHistory,
  root: EpochKey,
  named: InceptionStep | null,
  followedAt: SignedPlace | null,
): SignerStanding {
  if (named && named.rootEpoch > root.epoch) return refused('not_entitled')
  if (root.epoch === keys.at(-1)?.epoch) return active
  const isFollowed = followedAt !== null && followedAt.epoch <= root.epoch
  return { signer: 'superseded', fault: isFollowed ? null : 'unordered' }
}

function deviceStanding(
  history: SignerHistory,
  log: readonly InceptionStep[],
  statement: PlacedStatement,
  followedAt: SignedPlace | null,
): SignerStanding {
  const { publicKeyB64u, inception } = statement
  const deviceId = deviceIdOf(publicKeyB64u)
  const states = statesOf(log, deviceId)
  if (states.every(({ device }) => device?.publicKeyB64u !== publicKeyB64u)) return refused('wrong_key')
  const then = states[inception?.sequence ?? 0]
  if (!then || !mayAt(then, statement)) return refused('not_entitled')
  const last = states.findLastIndex((state) => mayAt(state, statement))
  const until = states[last]?.device
  const signer = stateNow(states.at(-1)?.device, statement, history)
  if (signer === 'active') return active
  // The root key alone does not tell which of the events of its time came later.
  const isPlaced = followedAt !== null && (followedAt.sequence !== null || signer === 'superseded')
  const isFollowed = isPlaced && until ? isBeforeEnd(until, last, followedAt) : false
  return { signer, fault: isFollowed ? null : 'unordered' }
}

/** `until` is the device as it last could sign, after the event `last`. */
function isBeforeEnd(until: Device, last: number, { epoch, sequence, before }: SignedPlace): boolean {
  if (epoch > until.rootEpoch || (sequence !== null && sequence > last)) return false
  return until.expiresAt === null || (before !== null && before <= until.expiresAt)
}

interface DeviceThen {
  readonly rootEpoch: number
  readonly device: Device | null
}

/** A device as each event left it, with the root epoch of that event. */
function statesOf(log: readonly InceptionStep[], deviceId: string): readonly DeviceThen[] {
  let device: Device | null = null
  return log.map((step) => {
    if (step.device?.deviceId === deviceId) device = step.device
    return { rootEpoch: step.rootEpoch, device }
  })
}

function mayAt({ rootEpoch, device }: DeviceThen, { capability, issuedAt }: PlacedStatement): boolean {
  return (
    device?.status === 'active' &&
    // A rotation ends it, and the first event of the new root key tells that in the log.
    device.rootEpoch === rootEpoch &&
    isCapable(device, capability) &&
    (device.expiresAt === null || issuedAt < device.expiresAt)
  )
}

function stateNow(
  device: Device | null | undefined,
  { capability }: PlacedStatement,
  { keys, now }: SignerHistory,
): SignerState {
  if (device?.status !== 'active' || !isCapable(device, capability)) return 'revoked'
  if (device.rootEpoch !== keys.at(-1)?.epoch) return 'superseded'
  return device.expiresAt !== null && device.expiresAt <= now ? 'revoked' : 'active'
}

function isCapable({ capabilities }: Device, capability: Capability | null): boolean {
  return capability === null || capabilities.includes(capability)
}
