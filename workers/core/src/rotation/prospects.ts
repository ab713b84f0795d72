/**
 * Which row of the table on the page is an owner's today. Pure; `prospects.test.ts` solves the game for every combination
 * and compares outcome and bound.
 *
 * @module
 */
import {
  type CountedDevices,
  type Kept,
  PREPARATIONS,
  type Preparation,
  type Prospect,
  type ProspectRow,
  type Theft,
} from '@svc/protocol/chain/prospects'
import type { Span, Times } from './rules.ts'

/** What decides a theft, apart from what is stolen. */
export interface Holdings {
  readonly devices: Pick<CountedDevices, 'cosign' | 'veto'>
  readonly kept: Kept
  readonly operator: boolean
  readonly acceptsV2: boolean
}

/** A device by what it can do in a dispute. */
export type Strength = 'none' | 'veto' | 'cosign'

type Decided = Pick<Prospect, 'row' | 'outcome' | 'within' | 'notBefore'>

/** Devices that are active now, by what they count for. Standing of lost ones ends, so nobody should rely on it. */
export function countDevices(devices: readonly (readonly Span[])[], now: number, { windowMs }: Times): CountedDevices {
  const open = devices.flatMap((spans) => spans.filter(({ until }) => until === null).slice(0, 1))
  const counting = open.filter(({ since }) => now - since >= windowMs)
  const cosign = counting.filter(({ cosigns }) => cosigns).length
  return { cosign, veto: counting.length - cosign, tooNew: open.length - counting.length }
}

const strongest = ({ cosign, veto }: Holdings['devices']): Strength =>
  cosign > 0 ? 'cosign' : veto > 0 ? 'veto' : 'none'

/** What a thief of one device takes, at worst, and what is left. */
function robbed(devices: Holdings['devices']): { readonly stolen: Strength; readonly left: Strength } {
  const stolen = strongest(devices)
  const left = { ...devices, ...(stolen === 'none' ? {} : { [stolen]: devices[stolen] - 1 }) }
  return { stolen, left: strongest(left) }
}

const recovers = (row: ProspectRow, within: number | null): Decided => ({
  row,
  outcome: 'recovers',
  within,
  notBefore: null,
})
const lost = (row: ProspectRow, notBefore: number): Decided => ({ row, outcome: 'lost', within: null, notBefore })

/** What a theft comes to if the owner looks at least once in every window. */
export function decideProspect(theft: Theft, holdings: Holdings, times: Times): Decided {
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
      if (kept.rootCopy || (devices !== 'none' && acceptsV2 && kept.requests.includes(2))) {
        return recovers('kept_request', windowMs)
      }
      return signsV1 ? recovers('operator_recovers', null) : lost('nothing_signed', 0)
  }
}

/** Every theft that the owner should reckon with. */
export function prospectsOf(holdings: Holdings, times: Times): Prospect[] {
  const hasDevice = strongest(holdings.devices) !== 'none'
  const thefts: Theft[] = hasDevice ? ['root', 'root_and_device', 'device', 'root_lost'] : ['root', 'root_lost']
  return thefts.map((theft) => {
    const decided = decideProspect(theft, holdings, times)
    const preparations = preparationsFor(theft, holdings, times)
    return { theft, ...decided, summary: SUMMARIES[decided.row](times), preparations }
  })
}

const prepared: Readonly<Record<Preparation, (holdings: Holdings) => Holdings>> = {
  add_cosigner: (one) => ({ ...one, devices: { ...one.devices, cosign: one.devices.cosign + 1 } }),
  keep_request: (one) => keeping(one, 2),
  keep_operator_request: (one) => (one.operator ? keeping(one, 1) : one),
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

const SUMMARIES: Readonly<Record<ProspectRow, (times: Times) => string>> = {
  device_recovers: ({ windowMs, contestMs }) =>
    `Your device and your request recover the identity without an operator, in ${span(windowMs)}, or ${span(contestMs)} if the thief contests.`,
  operator_recovers: () =>
    'The operator recovers the identity with your request, in the time that they take. Ask first.',
  operator_in_time: ({ windowMs, contestMs }) =>
    `The operator recovers the identity if they act within ${span(contestMs - windowMs)}. Contest what the thief requests, and ask first.`,
  device_delays: ({ standingMs, windowMs }) =>
    `The thief cannot take the identity. After you revoke the device, it can delay a rotation by version 2 for about ${span(standingMs + windowMs)}; an operator does not wait for it.`,
  standoff: () => 'Neither you nor the thief can rotate the key: each stops the other, and there is no operator.',
  vetoes_run_out: ({ standingMs }) =>
    `Your device can only veto. The thief wins ${span(standingMs)} after they revoke it.`,
  devices_against_each_other: ({ standingMs }) =>
    `Your device and the thief’s stop each other. The thief wins ${span(standingMs)} after they revoke yours.`,
  copy_against_two: ({ contestMs }) => `You can only contest. The thief wins after ${span(contestMs)}.`,
  nothing_against_two: ({ windowMs }) => `You can stop nothing. The thief wins after ${span(windowMs)}.`,
  no_device: () => 'Nothing stops the thief: without a device that counts, they end or take the identity at once.',
  kept_request: ({ windowMs }) => `What you keep brings the identity back, in about ${span(windowMs)}.`,
  nothing_signed: () =>
    'Nobody can bring the identity back, not even the operator: nothing is left that its root key signed.',
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const

/** In the largest unit that fits: `7 days`. */
function span(ms: number): string {
  const [unit, length] = UNITS.find(([, each]) => ms >= each) ?? UNITS[3]
  const count = Math.round(ms / length)
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
