import { reindexedSchema } from '@svc/protocol/reindex'
import { VECTOR_SERVICES, type VectorService } from '@svc/protocol/vector-services'
import { sendOperatorAct } from './operator-act.ts'

export function isVectorService(name: string | undefined): name is VectorService {
  return VECTOR_SERVICES.some((service) => service === name)
}

/** Has an index made again, page by page, and prints how far it is. The exit code: 1 when something is missing. */
export async function reindex(provenance: string, seed: Uint8Array, service: VectorService): Promise<number> {
  let missing = 0
  for (let after: number | null = 0; after !== null; ) {
    const act = { type: 'svc/operator-reindex/v1', members: { service, after } } as const
    const response = await sendOperatorAct(provenance, seed, act)
    const body = (await response.json()) as { data?: unknown }
    console.log(JSON.stringify(body, null, 2))
    if (!response.ok) return 1
    const done = reindexedSchema.parse(body.data)
    missing += done.missing
    after = done.next
  }
  return missing === 0 ? 0 : 1
}
