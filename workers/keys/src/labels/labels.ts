import { DependencyFault } from '@svc/protocol/base/dependency-fault'
import { fromHex } from '@svc/protocol/base/hash'
import { type LabelProver, labelProver, type ProvedLabel } from '@svc/protocol/keys/label-prover'
import { namespaceOf, readConfig } from '@svc/service'
import { labelsConfigSchema } from '../env.ts'

/** At about 400 bytes each, 4 MB of an isolate. */
const MAX_KEPT = 10_000

/**
 * The labels of accounts, under a key that lives as long as the namespace. Both a label and its proof never change, so an
 * isolate computes each once: 1.1 ms of CPU for a label, 2.0 ms with its proof.
 */
export class Labels {
  readonly #prover: LabelProver | null
  readonly #labels = new Map<string, string>()
  readonly #proved = new Map<string, ProvedLabel>()

  constructor(seed: string | undefined, namespace: string) {
    this.#prover = seed ? labelProver(fromHex(seed), namespace) : null
  }

  /** Null without the secret. */
  publicKey(): string | null {
    return this.#prover?.publicKeyB64u ?? null
  }

  of(did: string): string {
    return this.#proved.get(did)?.label ?? kept(this.#labels, did, (one) => this.#needed().labelOf(one))
  }

  prove(did: string): ProvedLabel {
    return kept(this.#proved, did, (one) => this.#needed().prove(one))
  }

  #needed(): LabelProver {
    if (!this.#prover) throw new DependencyFault('key of labels')
    return this.#prover
  }
}

/** Evicts the least recently used label. */
function kept<T>(values: Map<string, T>, did: string, make: (did: string) => T): T {
  const value = values.get(did) ?? make(did)
  values.delete(did)
  values.set(did, value)
  const [oldest] = values.size > MAX_KEPT ? values.keys() : []
  if (oldest !== undefined) values.delete(oldest)
  return value
}

interface Kept {
  readonly seed: string | undefined
  readonly namespace: string
  readonly labels: Labels
}
let known: Kept | null = null

/** One per isolate: expanding the secret takes milliseconds. */
export function labelsOf(env: Env): Labels {
  const config = readConfig(labelsConfigSchema, env)
  const [seed, namespace] = [config.KEY_LABELS_SEED, namespaceOf(config)]
  if (known?.seed !== seed || known?.namespace !== namespace)
    known = { seed, namespace, labels: new Labels(seed, namespace) }
  return known.labels
}
