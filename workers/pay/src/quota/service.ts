import { DependencyFault, reaching } from '@svc/protocol/base/dependency-fault'
import type { DeploymentSigner } from '@svc/protocol/base/deployment-signer'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { Meter, QuotaReceipt, Reservation } from '@svc/protocol/pay/quota'
import { doneOrDelayed } from '@svc/service'
import type { QuotaMeterObject } from './object.ts'
import { INTERNAL_KINDS, type ReceiptFacts } from './rules.ts'
import type {
  ConsumeRefusal,
  ReservedUnits,
  ReserveRefusal,
  Reversal,
  ReverseRefusal,
  SettleRefusal,
  Units,
} from './transaction.ts'

type Unsigned = { readonly reason: 'receipts_unavailable' }
type Internal = { readonly reason: 'meter_internal' }
type MeterStub = DurableObjectStub<QuotaMeterObject>

/** Metered use. Public operations return a receipt; if it cannot be signed, nothing changes. */
export class QuotaService {
  readonly #meters: DurableObjectNamespace<QuotaMeterObject>
  readonly #signer: DeploymentSigner

  constructor(meters: DurableObjectNamespace<QuotaMeterObject>, signer: DeploymentSigner) {
    this.#meters = meters
    this.#signer = signer
  }

  meters(did: string): Promise<Meter[]> {
    return this.#meter(did, async (meter) => meter.meters(did))
  }

  async consume(did: string, units: Units): Promise<Result<QuotaReceipt, ConsumeRefusal | Unsigned | Internal>> {
    if (INTERNAL_KINDS.has(units.kind)) return err({ reason: 'meter_internal' })
    if (!this.#signer.isReady) return err({ reason: 'receipts_unavailable' })
    const consumed = await this.#meter(did, async (meter) => meter.consume(did, units))
    return consumed.ok ? ok(await this.#receipt(did, consumed.value)) : consumed
  }

  async reverse(did: string, reversal: Reversal): Promise<Result<QuotaReceipt, ReverseRefusal | Unsigned>> {
    if (reversal.operation === 'delta' && INTERNAL_KINDS.has(reversal.kind)) return err({ reason: 'meter_internal' })
    if (!this.#signer.isReady) return err({ reason: 'receipts_unavailable' })
    const reversed = await this.#meter(did, async (meter) => meter.reverse(did, reversal))
    return reversed.ok ? ok(await this.#receipt(did, reversed.value)) : reversed
  }

  /** For siblings: any meter, and no receipt. */
  reserve(did: string, units: ReservedUnits, ttlMs: number): Promise<Result<Reservation, ReserveRefusal>> {
    return this.#meter(did, async (meter) => meter.reserve(did, units, ttlMs))
  }

  settle(
    { did, key, earlierKeys }: { readonly did: string; readonly key: string; readonly earlierKeys: readonly string[] },
    to: 'finalized' | 'released',
  ): Promise<Result<Reservation, SettleRefusal>> {
    return this.#meter(did, async (meter) => meter.settle(key, to, earlierKeys))
  }

  /** Best effort: an object that misses it reads again within a minute. */
  async entitlementChanged(did: string): Promise<void> {
    await doneOrDelayed({ service: 'pay', delayed: 'meter tiers' }, () =>
      this.#meter(did, async (meter) => meter.entitlementChanged()),
    )
  }

  /** The same use always gives the same statement; only its signature differs. */
  async #receipt(did: string, facts: ReceiptFacts): Promise<QuotaReceipt> {
    const receipt = await this.#signer.sign({ type: 'svc/quota-receipt/v1', did, ...facts })
    if (!receipt) throw new DependencyFault('receipts')
    return receipt
  }

  #meter<T>(did: string, work: (meter: MeterStub) => Promise<T>): Promise<T> {
    return reaching('quota', () => work(this.#meters.getByName(did)))
  }
}
