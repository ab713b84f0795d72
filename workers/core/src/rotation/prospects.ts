/**
 * Which row of the table on the page is an owner's today. Pure; `prospects.test.ts` solves the game for every combination
 * and compares outcome and bound.
 *
 * @module
 */
import {
  type CountedDevices,
  type PlainRow,
  PREPARATIONS,
  type Preparation,
  type Prospect,
  THEFTS,
  type Theft,
} from '@svc/protocol/chain/prospects'
import type { Times } from './rules.ts'
import { hasCosignStanding, hasStanding, type Span, type StandingTimes } from './standing-rules.ts'
import { type Decided, type Holdings, robbed, strongest } from './theft/holdings.ts'
import { decideCommittedProspect } from './theft/succession.ts'
import { SUMMARIES } from './theft/summaries.ts'

/**
 * Counts the active devices by what they can do. A device that was attested anew keeps the standing of its earlier span.
 * Lost devices are left out, because their standing ends.
 */
export function countDevices(devices: readonly (readonly Span[])[], now: number, times: StandingTimes): CountedDevices {
  const active = devices.filter((own) => own.some(({ until }) => until === null))
  const counting = active.filter((own) => hasStanding(own, now, times))
  const cosign = counting.filter(
    (own) => own.some(({ until, cosigns }) => until === null && cosigns) && hasCosignStanding(own, now, times),
  ).length
  return { cosign, veto: counting.length - cosign, tooNew: active.length - counting.length }
}

const recovers = (row: PlainRow, within: number | null): Decided => ({
  row,
  outcome: 'recovers',
  within,
  notBefore: null,
})
const lost = (row: PlainRow, notBefore: number): Decided => ({ row, outcome: 'lost', within: null, notBefore })

/** What a theft comes to if the owner looks at least once in every window. */
export function decideProspect(theft: Theft, holdings: Holdings, times: Times): Decided {
  if (holdings.commitment) return decideCommittedProspect(theft, holdings, times)
  const { kept, operator, acceptsV2 } = holdings
  const { windowMs, contestMs, standingMs } = times
  const { stolen, left } = robbed(holdings.devices)
  const devices = strongest(holdings.devices)
  /** A root signature for version 2, and one for the operator. */
  const signsV2 = acceptsV2 && (kept.rootCopy || kept.requests.includes(2))
  const signsV1 = operator && (kept.rootCopy || kept.requests.includes(1))
  switch (theft) {
    case 'root':
      if (devices === 'none') return lost('no_device', 0)
      if (devices === 'cosign' && signsV2) return recovers('device_recovers', contestMs)
      return signsV1 ? recovers('operator_recovers', null) : lost('vetoes_run_out', standingMs)
    case 'root_and_device':
      if (left !== 'none' && signsV1) return recovers('operator_recovers', null)
      if (operator && kept.rootCopy) return recovers('operator_in_time', null)
      if (kept.rootCopy && stolen === 'veto')
        return { row: 'standoff', outcome: 'standoff', within: null, notBefore: null }
      if (left !== 'none') return lost('devices_against_each_other', standingMs)
      return kept.rootCopy ? lost('copy_against_two', contestMs) : lost('nothing_against_two', windowMs)
    case 'device':
      return {
        row: 'device_delays',
        outcome: 'keeps',
        within: operator ? null : standingMs + windowMs,
        notBefore: null,
      }
    case 'root_lost':
    // Words decide nothing without a commitment.
    case 'words':
    case 'words_and_device':
    case 'words_and_root':
    case 'everything':
    case 'words_lost':
      if (kept.rootCopy || (devices !== 'none' && acceptsV2 && kept.requests.includes(2))) {
        return recovers('kept_request', windowMs)
      }
      return signsV1 ? recovers('operator_recovers', null) : lost('nothing_signed', 0)
  }
}

const DEVICE_THEFTS: readonly Theft[] = ['root_and_device', 'device', 'words_and_device', 'everything']
const WORDS_THEFTS: readonly Theft[] = ['words', 'words_and_device', 'words_and_root', 'everything', 'words_lost']

/** Every theft that the owner should reckon with: of what there is. */
export function prospectsOf(holdings: Holdings, times: Times): Prospect[] {
  const hasDevice = strongest(holdings.devices) !== 'none'
  const hasWords = holdings.commitment !== null && (holdings.kept.sheets ?? 0) > 0
  const thefts = THEFTS.filter(
    (theft) => (hasDevice || !DEVICE_THEFTS.includes(theft)) && (hasWords || !WORDS_THEFTS.includes(theft)),
  )
  return thefts.map((theft) => {
    const decided = decideProspect(theft, holdings, times)
    const preparations = preparationsFor(theft, holdings, times)
    return { theft, ...decided, summary: SUMMARIES[decided.row](times), preparations }
  })
}

const prepared: Readonly<Record<Preparation, (holdings: Holdings) => Holdings>> = {
  add_cosigner: (one) => ({ ...one, devices: { ...one.devices, cosign: one.devices.cosign + 1 } }),
  keep_request: (one) => keeping(one, 2),
  // An operator needs no signature of the root key where a committed key signs.
  keep_operator_request: (one) => (one.operator && one.commitment === null ? keeping(one, 1) : one),
  keep_sheet: (one) =>
    one.commitment === null ? one : { ...one, kept: { ...one.kept, sheets: (one.kept.sheets ?? 0) + 1 } },
}

const keeping = (one: Holdings, version: 1 | 2): Holdings => ({
  ...one,
  kept: { ...one.kept, requests: [...one.kept.requests.filter((kept) => kept !== version), version] },
})

/** The fewest preparations that turn out best. */
function preparationsFor(theft: Theft, holdings: Holdings, times: Times): Preparation[] {
  const worthWith = (one: Holdings) => worth(decideProspect(theft, one, times))
  let best: { readonly steps: Preparation[]; readonly value: number } = { steps: [], value: worthWith(holdings) }
  for (let mask = 1; mask < 1 << PREPARATIONS.length; mask++) {
    const steps = PREPARATIONS.filter((_, i) => (mask & (1 << i)) !== 0)
    const value = worthWith(steps.reduce((one, step) => prepared[step](one), holdings))
    const isBetter = value > best.value || (value === best.value && steps.length < best.steps.length)
    if (isBetter) best = { steps, value }
  }
  return best.steps
}

/** Outcomes in order; of two losses, the later is better. */
function worth({ outcome, notBefore }: Decided): number {
  switch (outcome) {
    case 'recovers':
    case 'keeps':
      return Number.POSITIVE_INFINITY
    case 'standoff':
      return Number.MAX_VALUE
    case 'lost':
      return notBefore ?? 0
  }
}
