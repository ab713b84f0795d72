import { reindexedSchema } from '@svc/protocol/operator/acts'
import { VECTOR_SERVICES, type VectorService } from '@svc/protocol/provenance/vector-services'
import { type ActTarget, sendOperatorAct } from './operator-act.ts'

export function isVectorService(name: string | undefined): name is VectorService {
  return VECTOR_SERVICES.some((service) => service === name)
}

/** Rebuilds an index page by page and prints the progress. Returns the exit status: 1 if vectors are missing. */
export async function reindex(
  provenance: ActTarget,
  seed: Uint8Array,
  index: VectorService,
  print: (line: string) => void = console.log,
): Promise<number> {
  let missing = 0
  for (let after: number | null = 0; after !== null; ) {
    const act = { type: 'svc/operator-reindex/v1', service: 'provenance', members: { index, after } } as const
    const response = await sendOperatorAct(provenance, seed, act)
    const body = (await response.json()) as { data?: unknown }
    print(JSON.stringify(body, null, 2))
    if (!response.ok) return 1
    const done = reindexedSchema.parse(body.data)
    missing += done.missing
    after = done.next
  }
  return missing === 0 ? 0 : 1
}
