/**
 * Which row of the table on the page is an owner's today, if the identity has committed to its next keys. Pure;
 * `committed/prospects.test.ts` solves the game for every combination and compares outcome and bound.
 *
 * @module
 */
import type { CommittedRow, Theft } from '@svc/protocol/chain/prospects'
import type { Times } from '../rules.ts'
import { type Decided, type Holdings, robbed, type Strength, strongest } from './holdings.ts'

interface Stolen {
  readonly root: boolean
  readonly device: boolean
  readonly words: boolean
}

const STOLEN: Readonly<Record<Theft, Stolen>> = {
  root: { root: true, device: false, words: false },
  root_and_device: { root: true, device: true, words: false },
  device: { root: false, device: true, words: false },
  root_lost: { root: false, device: false, words: false },
  words: { root: false, device: false, words: true },
  words_and_device: { root: false, device: true, words: true },
  words_and_root: { root: true, device: false, words: true },
  everything: { root: true, device: true, words: true },
  words_lost: { root: false, device: false, words: false },
}

/** What is left to the owner, and the device of the thief. */
interface Left {
  /** A root key to sign with. */
  readonly root: boolean
  /** A root signature, on a request too. */
  readonly signs: boolean
  readonly words: boolean
  readonly device: Strength
  readonly operator: boolean
  /** R19. */
  readonly replaces: boolean
  readonly acceptsV2: boolean
  readonly thiefDevice: Strength
}

function leftAfter(theft: Theft, { devices, kept, operator, acceptsV2, commitment }: Holdings): Left {
  const stolen = STOLEN[theft]
  const root = kept.rootCopy || !(stolen.root || theft === 'root_lost')
  const taken = stolen.words || theft === 'words_lost' ? 1 : 0
  const { stolen: thiefDevice, left } = robbed(devices)
  return {
    root,
    signs: acceptsV2 && (root || kept.requests.includes(2)),
    words: (kept.sheets ?? 0) > taken,
    device: stolen.device ? left : strongest(devices),
    operator,
    replaces: acceptsV2 && commitment?.isReplaceable === true,
    acceptsV2,
    thiefDevice: stolen.device ? thiefDevice : 'none',
  }
}

const recovers = (row: CommittedRow, within: number | null): Decided => ({
  row,
  outcome: 'recovers',
  within,
  notBefore: null,
})
const keeps = (row: CommittedRow): Decided => ({ row, outcome: 'keeps', within: null, notBefore: null })
const standoff = (row: CommittedRow): Decided => ({ row, outcome: 'standoff', within: null, notBefore: null })
const lost = (row: CommittedRow, notBefore: number): Decided => ({ row, outcome: 'lost', within: null, notBefore })

/** What a theft comes to if the owner looks at least once in every window. */
export function decideCommittedProspect(theft: Theft, holdings: Holdings, times: Times): Decided {
  const left = leftAfter(theft, holdings)
  const { root, words } = STOLEN[theft]
  if (words) return root ? againstBoth(left, times) : againstWords(left, times)
  return left.words ? withWords(theft, left, times) : withoutWords(theft, left, times)
}

/** The thief holds root key and words. */
function againstBoth(left: Left, { windowMs, contestMs }: Times): Decided {
  if (!left.words) return lost('unopposed', windowMs)
  const hasThree = left.signs && left.device === 'cosign'
  const thiefHasThree = left.thiefDevice === 'cosign'
  if (hasThree && !thiefHasThree) return recovers('words_contested', contestMs)
  if (left.operator) return recovers('operator_recovers', null)
  if (hasThree || (left.signs && left.root && !thiefHasThree)) return standoff('dispute')
  if (left.signs && !thiefHasThree) return lost('dispute_lost', windowMs + contestMs)
  return lost('outsigned', contestMs)
}

/** The thief holds words and no root key. */
function againstWords(left: Left, { contestMs }: Times): Decided {
  if (left.words && left.signs) return recovers('words_contested', contestMs)
  return left.words && left.operator ? recovers('operator_recovers', null) : keeps('words_watched')
}

/** The owner alone holds words. */
function withWords(theft: Theft, left: Left, { windowMs, standingMs }: Times): Decided {
  if (left.signs) return recovers('words_recover', windowMs)
  if (left.operator) return recovers('operator_recovers', null)
  if (theft === 'root_lost' && left.acceptsV2) return recovers('words_alone', standingMs)
  return theft === 'device' ? keeps('device_revoked') : standoff('safe')
}

/** Nobody holds words. */
function withoutWords(theft: Theft, left: Left, { standingMs }: Times): Decided {
  const replaces = left.replaces && left.root && left.device === 'cosign'
  const { root, device } = STOLEN[theft]
  if (root) {
    if (replaces && left.thiefDevice === 'none') return recovers('replaced', standingMs)
    const isSafe = !left.replaces || (left.root && left.thiefDevice !== 'cosign')
    return isSafe ? standoff('safe') : lost('replaced_by_thief', standingMs)
  }
  if (device) return keeps('device_revoked')
  if (!left.root) return lost('nothing_signed', 0)
  return replaces ? recovers('replaced', standingMs) : standoff('not_replaceable')
}
