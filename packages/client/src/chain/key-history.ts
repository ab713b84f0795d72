import { blockHash, isSigned } from '#protocol/chain/chain'
import {
  type KeyHistory as KeyHistoryAnswer,
  keyHistorySchema,
  type RootKeyEvidence,
  type RotationRecord,
  rotationIdOf,
} from '#protocol/chain/rotation'
import { type JudgeReplacement, verifyRotationRecord } from '#protocol/chain/rotation-verification'
import type { RootKey } from '#protocol/chain/succession'
import type { LogName, Piece, Place } from '../memory/errors.ts'
import { follow, type Log, refuseOlder } from '../memory/extension.ts'
import { KnownLogs } from '../memory/known-logs.ts'
import type { Transport } from '../transport/transport.ts'
import { safeTwin } from '../verification/safe.ts'
import { unverified } from '../verification/verification-error.ts'
import type { Activations, LoggedRotations } from './activations.ts'
import { genesisName } from './genesis-name.ts'
import { provedKeys, withActivations } from './proved-keys.ts'
import type { RootKeys } from './root-keys.ts'

type Evidence = readonly RootKeyEvidence[]
type Keys = readonly [RootKey, ...RootKey[]]

const MAX_VERIFIED = 10_000

type LoadActivations = () => Promise<Activations | null>
const none: LoadActivations = () => Promise.resolve(null)

/** The root keys of identities, verified from evidence that core publishes. Core cannot take back a key that it showed. */
export class KeyHistory {
  readonly #transport: Transport
  readonly #base: string
  readonly #memory: KnownLogs
  readonly #activations: LoadActivations
  /** Keys that were verified before; a cache. */
  readonly #verified = new Map<string, Keys>()

  // As results: see `safely`.
  readonly safeOf = safeTwin(this, 'of')
  readonly safeRotation = safeTwin(this, 'rotation')
  readonly safeCheck = safeTwin(this, 'check')

  /**
   * `activations` are loaded for an identity that has rotated. Without them, as for a deployment without a key directory,
   * every rotation stays `claimed`.
   */
  constructor(transport: Transport, base: string, memory = new KnownLogs(), activations: LoadActivations = none) {
    this.#transport = transport
    this.#base = base
    this.#memory = memory
    this.#activations = activations
  }

  /**
   * The root keys of a DID by epoch, the current one last. Throws if the evidence does not lead from the key in the DID
   * to each later one, or if the log of the key directory proves that a rotation never took effect. Throws a
   * `HistoryError` if the evidence does not extend what core showed before. `activated` says whether the log proves that
   * a rotation took effect. Needs no credential.
   */
  async of(did: string): Promise<RootKeys> {
    const known = await this.#memory.recall<Piece<Evidence>>(nameOf(did))
    const earlier = known.at(-1)?.signed.slice(0, -1) ?? []
    const shown = await this.#read(did, earlier.length)
    const evidence = [...earlier, ...shown]
    const last = shown.at(-1)
    const claimed = last ? placeOf(last) : { position: evidence.length - 1, hash: earlier.at(-1)?.userId ?? '' }
    const piece = await follow(
      evidenceLog(did, () => Promise.resolve(evidence)),
      known,
      claimed,
    )
    const keys = await this.#verify(did, evidence)
    await this.#refuseOtherGenesis(did, evidence)
    await this.#memory.advance(nameOf(did), piece, known)
    return withActivations(keys, evidence, async (rotated) => {
      const activations = await this.#activations()
      return activations?.of(did, rotated) ?? 'claimed'
    })
  }

  /** Throws a `HistoryError` if core claims an older root key than it showed before, or another one for its epoch. */
  async refuseOlder(did: string, root: { readonly epoch: number; readonly userId: string }): Promise<void> {
    const known = await this.#memory.recall<Piece<Evidence>>(nameOf(did))
    await refuseOlder(
      evidenceLog(did, () => this.#read(did, 0)),
      known,
      placeOf(root),
    )
  }

  /**
   * Returns log proofs for the rotations of a DID, or null without a key directory that has them. Store them with the
   * saved key history: `verifyKeyHistory` uses them to prove offline that the rotations took effect. Throws if the
   * directory is unavailable.
   */
  async logged(did: string): Promise<LoggedRotations | null> {
    const activations = await this.#activations()
    return (await activations?.logged(did, await this.#read(did, 0))) ?? null
  }

  /** The newest rotation of a DID with all signatures for and against it, or null. Needs no credential. */
  async rotation(did: string): Promise<RotationRecord | null> {
    const { rotation } = await this.#page(did, 0)
    return rotation && this.check(did, rotation)
  }

  /** Returns a rotation record if its signatures verify for this DID; throws otherwise. */
  async check(did: string, record: RotationRecord): Promise<RotationRecord> {
    const ending = (await this.of(did))[record.epoch - 1]
    if (!ending || !(await verifyRotationRecord(record, did, ending, this.#transport.realms))) {
      throw unverified('rotation', 'mismatch', 'The rotation does not match the DID', {
        where: { epoch: record.epoch },
        evidence: record,
      })
    }
    return record
  }

  /** A thief of the genesis key can sign a second genesis block, which names other keys. */
  async #refuseOtherGenesis(did: string, [first]: Evidence): Promise<void> {
    if (!first?.genesis) return
    const { block } = first.genesis
    if (!isSigned(block)) return
    await this.#memory.advance(genesisName(did), { position: 0, hash: blockHash(block), signed: block }, [])
  }

  async #verify(did: string, evidence: Evidence): Promise<Keys> {
    const verified = this.#verified.get(did)
    if (verified && isSame(verified, evidence)) return verified
    const keys = await provedKeys(evidence, did, this.#transport.realms, await this.#judgeOf(did, evidence))
    if (this.#verified.size >= MAX_VERIFIED) this.#verified.clear()
    this.#verified.set(did, keys)
    return keys
  }

  /** Returns the judge for keys that were not committed; undefined without such keys or without a key directory. */
  async #judgeOf(did: string, evidence: Evidence): Promise<JudgeReplacement | undefined> {
    const replaced = evidence.filter(({ replacement }) => replacement !== undefined)
    const activations = replaced.length > 0 ? await this.#activations() : null
    const logged = await activations?.logged(did, replaced)
    if (!logged) return undefined
    const { replacementJudge } = await import('#protocol/keys/replacement')
    const { openUpdates } = await import('./logged-updates.ts')
    return replacementJudge(await openUpdates(logged, did), this.#transport.realms)
  }

  async #read(did: string, first: number): Promise<RootKeyEvidence[]> {
    const evidence: RootKeyEvidence[] = []
    for (let from: number | null = first; from !== null; ) {
      const page: KeyHistoryAnswer = await this.#page(did, from)
      refuseEnded(page)
      evidence.push(...page.keys)
      const isContinued = page.keys.length > 0 && page.next === from + page.keys.length
      if (page.next !== null && !isContinued)
        throw unverified('keys', 'left_out', 'Core left out root keys', { where: { epoch: from } })
      from = page.next
    }
    return evidence
  }

  #page(did: string, from: number) {
    const url = `${this.#base}/api/chain/root/${did}/history?from=${from}`
    return this.#transport.data({ method: 'GET', url }, keyHistorySchema)
  }
}

/** Throws if one response says that a rotation ended but lists its key among the active ones. */
function refuseEnded({ keys, rotation }: KeyHistoryAnswer): void {
  if (!rotation || rotation.status === 'active') return
  const { rotationId } = rotation
  const shown = keys.find(({ request }) => request !== null && rotationIdOf(request.statement) === rotationId)
  if (!shown) return
  throw unverified('keys', 'not_activated', `The rotation to the key of epoch ${shown.epoch} never took effect`, {
    where: { epoch: shown.epoch },
    evidence: rotation,
  })
}

function nameOf(did: string): LogName {
  return { kind: 'keys', of: did }
}

function placeOf({ epoch, userId }: { readonly epoch: number; readonly userId: string }): Place {
  return { position: epoch, hash: userId }
}

function isSame(keys: Keys, evidence: Evidence): boolean {
  return (
    keys.length === evidence.length &&
    (keys[0].commitment === null) === (evidence[0]?.genesis === null) &&
    evidence.every(({ publicKeyB64u }, epoch) => keys[epoch]?.publicKeyB64u === publicKeyB64u)
  )
}

/** Root keys as the rule of memory reads them: the place is the epoch, and what is signed are all keys up to it. */
function evidenceLog(did: string, read: () => Promise<Evidence>): Log<Evidence> {
  return {
    name: nameOf(did),
    extend: async (remembered, claimed) => {
      const evidence = await read()
      const fork = remembered.find(({ position, hash }) => evidence[position]?.userId !== hash)
      if (!fork) return { kind: 'extends', piece: { ...claimed, signed: evidence } }
      const hash = evidence[fork.position]?.userId ?? ''
      const received = { position: fork.position, hash, signed: evidence.slice(0, fork.position + 1) }
      return { kind: 'fork', remembered: fork, received }
    },
    show: read,
  }
}
