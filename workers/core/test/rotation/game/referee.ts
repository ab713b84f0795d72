/**
 * The answer to every act of owner, thief and operator, and the state after it, by the pure rules alone. Time is in ms.
 * Random play compares both with the real object.
 */
import * as rules from '../../../src/rotation/rules.ts'
import * as standing from '../../../src/rotation/standing-rules.ts'
import {
  asPending,
  displaced,
  ended,
  forgetting,
  isActive,
  type KnownRequest,
  known,
  type Ledger,
  pendingOf,
  pendingRequest,
  set,
  spansOf,
  unsent,
  withNew,
} from './ledger.ts'
import type { Player } from './model.ts'

/** Requests and devices by index. `request` may be one more than there are: a new one of `by`. */
export type Act =
  | { readonly do: 'request'; readonly by: Player; readonly request: number; readonly version: 1 | 2 }
  | { readonly do: 'recover'; readonly by: Player; readonly request: number; readonly device: number }
  | { readonly do: 'cosign' | 'freeze'; readonly request: number; readonly device: number }
  | { readonly do: 'freeze as root' | 'cancel'; readonly request: number }
  | { readonly do: 'activate' | 'activate for'; readonly request: number }
  | { readonly do: 'approve'; readonly request: number; readonly carries: boolean }
  | { readonly do: 'deactivate'; readonly by: Player }
  | { readonly do: 'revoke'; readonly device: number }
  /** `agreedBy` is the device that signs an agreement, or null. */
  | { readonly do: 'renew'; readonly device: number; readonly agreedBy: number | null }
  | { readonly do: 'attest'; readonly by: Player; readonly cosigns: boolean; readonly agreedBy: number | null }
  | { readonly do: 'hold' | 'lift' }

export type Ruling = { readonly error: string } | { readonly after: Ledger }

const refuse = (error: string): Ruling => ({ error })
export class Referee {
  readonly #times: rules.Times

  constructor(times: rules.Times) {
    this.#times = times
  }

  /** A deactivation takes effect by itself. */
  at(ledger: Ledger, now: number): Ledger {
    const i = pendingOf(ledger)
    const request = i === null ? undefined : ledger.requests[i]
    const isDue = request?.kind === 'deactivation' && rules.checkDue(asPending(request), now).ok
    if (i === null || !isDue || ledger.held) return ledger
    return { ...ledger, root: 'X', requests: set(ledger.requests, i, { status: 'active' }) }
  }

  rule(ledger: Ledger, act: Act, now: number): Ruling {
    switch (act.do) {
      case 'request':
        return this.#request(withNew(ledger, act.request, act.by, act.version), act.request, now)
      case 'recover':
        return this.#recover(withNew(ledger, act.request, act.by, 2), act.request, act.device, now)
      case 'cosign':
        return this.#cosign(ledger, act.request, act.device)
      case 'freeze':
        return this.#veto(ledger, act.request, act.device, 'freeze', now)
      case 'freeze as root':
        return this.#veto(ledger, act.request, 'root', 'freeze', now)
      case 'cancel':
        return this.#veto(ledger, act.request, 'root', 'cancel', now)
      case 'activate':
        return this.#activate(ledger, act.request, false, now)
      case 'activate for':
        return this.#activate(ledger, act.request, true, now)
      case 'approve':
        return this.#approve(ledger, act.request, act.carries, now)
      case 'deactivate':
        return this.#deactivate(ledger, act.by, now)
      case 'revoke':
        return this.#revoke(ledger, act.device, now)
      case 'renew':
        return this.#renew(ledger, act.device, act.agreedBy, now)
      case 'hold':
      case 'lift':
        return { after: { ...ledger, held: act.do === 'hold' } }
      case 'attest':
        return this.#attest(ledger, act, now)
    }
  }

  #request(ledger: Ledger, i: number, now: number): Ruling {
    if (known(ledger, i).status !== 'unsent') return { after: ledger }
    if (!rules.mayOpen(pendingRequest(ledger), false)) return refuse('rotation_pending')
    return { after: this.#open(ledger, i, now) }
  }

  #recover(ledger: Ledger, i: number, device: number, now: number): Ruling {
    const request = known(ledger, i)
    if (request.cosigners.includes(device)) return { after: ledger }
    const opens = request.status === 'unsent' || rules.mayReopen(asPending(request))
    if (!opens) return this.#cosign(ledger, i, device)
    const may = standing.hasCosignStanding(this.#spans(ledger, device, now), now, this.#times)
    if (!may || request.version !== 2) return refuse('not_eligible')
    if (!rules.mayOpen(pendingRequest(ledger), true)) return refuse('rotation_pending')
    const opened = this.#open(ledger, i, now)
    return { after: { ...opened, requests: set(opened.requests, i, { cosigners: [device] }) } }
  }

  #cosign(ledger: Ledger, i: number, device: number): Ruling {
    const request = known(ledger, i)
    if (request.status === 'unsent') return refuse('not_found')
    if (request.cosigners.includes(device)) return { after: ledger }
    if (request.status !== 'pending') return refuse('rotation_not_pending')
    if (request.version !== 2 || !request.eligible.includes(device)) return refuse('not_eligible')
    return { after: { ...ledger, requests: set(ledger.requests, i, { cosigners: [...request.cosigners, device] }) } }
  }

  #veto(ledger: Ledger, i: number, by: number | 'root', how: 'freeze' | 'cancel', now: number): Ruling {
    const request = known(ledger, i)
    if (request.status === 'unsent') return refuse('not_found')
    const device = by === 'root' ? null : ledger.devices[by]
    const vetoer = device
      ? {
          isActive: isActive(device, now),
          hasStanding: standing.hasStanding(spansOf(device, now), now, this.#times),
          isWitness: by !== 'root' && request.witnesses.includes(by),
        }
      : 'root'
    const decided = rules.decideVeto(asPending(request), vetoer, now)
    if (!decided.ok) return refuse(decided.error.reason)
    const counted = how === 'freeze' ? { freezes: request.freezes + 1 } : { cancels: request.cancels + 1 }
    const changes =
      decided.value === 'stop'
        ? ({ status: how === 'freeze' ? 'frozen' : 'cancelled' } as const)
        : { contestedAt: now, deadline: rules.contestedDeadline(request, this.#times) }
    return { after: { ...ledger, requests: set(ledger.requests, i, { ...changes, ...counted }) } }
  }

  #activate(ledger: Ledger, i: number, isStranger: boolean, now: number): Ruling {
    const request = known(ledger, i)
    if (request.status === 'unsent' || request.kind === 'deactivation') return refuse('not_found')
    const due = rules.checkDue(asPending(request), now)
    if (!due.ok) return refuse(due.error.reason)
    if (isStranger && !rules.mayAnyoneActivate(asPending(request))) return refuse('owner_mismatch')
    return { after: { ...ledger, root: request.by, requests: set(ledger.requests, i, { status: 'active' }) } }
  }

  #approve(ledger: Ledger, i: number, carries: boolean, now: number): Ruling {
    const request = known(ledger, i)
    const isKnown = request.status !== 'unsent'
    if (!rules.mayApprove(asPending(request)) || !(isKnown || carries)) return refuse('not_found')
    if (request.status === 'pending' && request.approvedAt !== null) return { after: ledger }
    const at = isKnown ? displaced(ledger, i) : this.#open(ledger, i, now)
    return { after: { ...at, newest: i, requests: set(at.requests, i, { status: 'pending', approvedAt: now }) } }
  }

  #deactivate(ledger: Ledger, by: Player, now: number): Ruling {
    const pending = pendingRequest(ledger)
    const spans = ledger.devices.map((device) => spansOf(device, now))
    const decided = rules.decideDeactivation(pending, spans, now, this.#times, ledger.held)
    if (decided === 'overtakes' || (decided === 'waits' && !rules.mayOpen(pending, false))) {
      return refuse('rotation_pending')
    }
    if (decided === 'at_once') return { after: { ...displaced(ledger, null), root: 'X' } }
    const ending = unsent(by, 2, 'deactivation')
    return { after: this.#open({ ...ledger, requests: [...ledger.requests, ending] }, ledger.requests.length, now) }
  }

  #revoke(ledger: Ledger, i: number, now: number): Ruling {
    if (ledger.held) return refuse('security_hold')
    const device = ledger.devices[i]
    if (!device || device.revoked) return refuse('device_revoked')
    return { after: { ...ledger, devices: set(ledger.devices, i, { revoked: true, spans: ended(device, now) }) } }
  }

  #attest(ledger: Ledger, { by, cosigns, agreedBy }: Extract<Act, { do: 'attest' }>, now: number): Ruling {
    if (ledger.held) return refuse('security_hold')
    if (agreedBy !== null && !this.#stands(ledger, agreedBy, now)) return refuse('agreement_without_standing')
    const wait = this.#wait(ledger, ledger.devices.length, agreedBy !== null, now)
    const device = { holder: by, cosigns, revoked: false, expiresAt: null }
    const begun = { ...device, spans: [{ since: now, until: null, cosigns, wait }] }
    return { after: { ...ledger, devices: [...ledger.devices, begun] } }
  }

  #renew(ledger: Ledger, i: number, agreedBy: number | null, now: number): Ruling {
    if (ledger.held) return refuse('security_hold')
    const device = ledger.devices[i]
    if (!device || device.revoked) return refuse('device_revoked')
    if (device.expiresAt === null) return refuse('device_exists')
    if (agreedBy === i) return refuse('agreement_mismatch')
    if (agreedBy !== null && !this.#stands(ledger, agreedBy, now)) return refuse('agreement_without_standing')
    const wait = this.#wait(ledger, i, agreedBy !== null, now)
    const begun = { since: now, until: null, cosigns: device.cosigns, wait }
    const spans = [...ended(device, now), begun]
    return { after: { ...ledger, devices: set(ledger.devices, i, { expiresAt: null, spans }) } }
  }

  #stands(ledger: Ledger, device: number, now: number): boolean {
    return standing.hasStanding(this.#spans(ledger, device, now), now, this.#times)
  }

  /** Returns how long a device waits for standing if it is attested now. */
  #wait(ledger: Ledger, i: number, isAgreed: boolean, now: number): standing.Wait {
    const spans = ledger.devices.map((device) => spansOf(device, now))
    const [own = [], others] = [spans[i], spans.filter((_, k) => k !== i)]
    return standing.waitOf({ isAttestation: true, isAgreed, own, others }, now, this.#times)
  }

  #spans(ledger: Ledger, device: number, now: number): standing.Span[] {
    const one = ledger.devices[device]
    return one ? spansOf(one, now) : []
  }

  #open(ledger: Ledger, i: number, now: number): Ledger {
    const spans = ledger.devices.map((device) => spansOf(device, now))
    const those = (test: typeof standing.hasStanding) =>
      [...spans.keys()].filter((k) => test(spans[k] ?? [], now, this.#times))
    const after = forgetting(displaced(ledger, i), now)
    const isV2 = known(ledger, i).version === 2
    const opening: Partial<KnownRequest> = {
      status: 'pending',
      requestedAt: now,
      deadline: isV2 ? now + this.#times.windowMs : null,
      requiredCosigners: isV2 && standing.needsCosigner(spans, now, this.#times) ? 1 : 0,
      eligible: those(standing.hasCosignStanding),
      witnesses: those(standing.hasStanding),
    }
    return { ...after, newest: i, requests: set(after.requests, i, opening) }
  }
}
