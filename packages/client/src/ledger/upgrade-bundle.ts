import type { Realms } from '#protocol/base/realm'
import { anchorEntry } from '#protocol/ledger/anchor-log'
import type { KeptBundle } from '#protocol/ledger/blind-root'
import type { AnchorBundle, CosignedState, FirstState } from '#protocol/ledger/bundle/anchor-bundle'
import { isFormerBundle } from '#protocol/ledger/bundle/anchor-bundle'
import type { CosignedStates } from '#protocol/ledger/bundle/cosigned-states'
import { type FormerBundle, formerBundleSchema, verifyFormerBundle } from '#protocol/ledger/bundle/former-bundle'
import { MAX_ANCHOR_WITNESSES } from '#protocol/ledger/cosigned/anchor-cosigned'
import { verifyExtension } from '#protocol/merkle/in-log'
import type { ListedLogs } from '#protocol/merkle/log-list'
import { inconsistent } from '../verification/inconsistent.ts'
import { readAnswer } from '../verification/read-answer.ts'
import { unverified } from '../verification/verification-error.ts'
import { notVerified, verifyAnchor } from './verify-anchor.ts'

/** How an upgrade fetches and verifies the current bundle. */
export interface Upgrading {
  readonly list: ListedLogs
  readonly realms: Realms
  readonly read: (anchorId: string) => Promise<AnchorBundle>
  readonly consistency: (log: string, first: number, second: number) => Promise<readonly string[]>
}

type Old = (FormerBundle & Pick<KeptBundle, 'first' | 'cosigned'>) | KeptBundle

/**
 * Merges the kept bundle with the current one: the larger of the two checkpoints, and the earlier cosignature of each
 * witness. A cached response can be older than the kept bundle.
 */
export async function upgraded(given: unknown, { list, realms, read, consistency }: Upgrading): Promise<KeptBundle> {
  const old = await verifiedOld(given, list, realms)
  const fresh = await verifyAnchor(await read(old.record.anchorId), { list }, realms)
  if (!isSame(old, fresh))
    throw unverified('anchor', 'different_answer', 'The log shows another anchor than the bundle', { evidence: fresh })
  const isNewer = fresh.checkpoint.statement.size >= old.checkpoint.statement.size
  const [base, other] = isNewer ? [fresh, old] : [old, fresh]
  const { checkpoint } = base
  const { log, size } = checkpoint.statement
  const known = new Map(statesOf(base).map((one) => [sizeOf(one), one.consistency]))
  const extending = async (first: number) =>
    first === size ? [] : [...(known.get(first) ?? (await consistency(log, first, size)))]
  const grown = await extending(other.checkpoint.statement.size)
  if (!verifyExtension(other.checkpoint, checkpoint, grown, checkpoint.publicKeyB64u))
    throw inconsistent('anchors', other.checkpoint, checkpoint)
  const { first, cosigned } = earliest(old, fresh)
  const to = async <S extends FirstState>(one: S): Promise<S> => ({ ...one, consistency: await extending(sizeOf(one)) })
  const states = { first: first && (await to(first)), cosigned: await Promise.all(cosigned.map(to)) }
  const nonce = old.nonceB64u === undefined ? {} : { nonceB64u: old.nonceB64u }
  return verifyAnchor({ ...fresh, proof: base.proof, checkpoint, ...states, ...nonce }, { list }, realms)
}

async function verifiedOld(given: unknown, list: ListedLogs, realms: Realms): Promise<Old> {
  if (!isFormerBundle(given)) return verifyAnchor(given, { list }, realms)
  const former = readAnswer(formerBundleSchema, given)
  const verified = await verifyFormerBundle(former, { list }, realms)
  if (!verified.ok) throw notVerified(verified.error.reason, former)
  return { ...former, first: null, cosigned: [] }
}

/** Only the publisher's reports may change after an anchor is logged. */
function isSame({ record: old }: Old, { record: fresh }: KeptBundle): boolean {
  const [a, b] = [old.position, fresh.position]
  return anchorEntry(old) === anchorEntry(fresh) && a?.log === b?.log && a?.index === b?.index
}

function earliest(old: CosignedStates, fresh: CosignedStates): CosignedStates {
  const byWitness = new Map<string, CosignedState>()
  for (const one of [...old.cosigned, ...fresh.cosigned]) {
    const { publicKeyB64u } = one.cosignature
    const known = byWitness.get(publicKeyB64u)
    if (!known || sizeOf(one) < sizeOf(known)) byWitness.set(publicKeyB64u, one)
  }
  // Cosignatures of the kept bundle come first, so none is dropped.
  const cosigned = [...byWitness.values()].slice(0, MAX_ANCHOR_WITNESSES).toSorted((a, b) => sizeOf(a) - sizeOf(b))
  const [first] = [...statesOf(old), ...statesOf(fresh)].toSorted((a, b) => sizeOf(a) - sizeOf(b))
  return { first: first ? { cosignature: first.cosignature, consistency: first.consistency } : null, cosigned }
}

const statesOf = ({ first, cosigned }: CosignedStates): FirstState[] => [...(first ? [first] : []), ...cosigned]
const sizeOf = ({ cosignature }: FirstState) => cosignature.statement.size
