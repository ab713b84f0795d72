import type { Answer } from '../databases/fake-transfers.fixture.ts'
import type { LockRule } from './bucket-locks.ts'

/** The state of R2 in the fake account. */
interface Buckets {
  readonly buckets: ReadonlySet<string>
  readonly places: ReadonlyMap<string, object>
  readonly locks: Map<string, LockRule[]>
  readonly lifecycles: Map<string, readonly object[]>
  readonly objects: Map<string, Buffer>
}

interface AboutBucket {
  readonly name: string
  readonly about: string | undefined
  readonly jurisdiction: unknown
  readonly sent: Record<string, unknown>
}

export function bucketAnswer(
  { buckets, places, locks, lifecycles }: Buckets,
  method: string,
  { name, about, jurisdiction, sent }: AboutBucket,
): Answer {
  const place = (places.get(name) ?? {}) as { jurisdiction?: string; locationHint?: string }
  // A bucket is found in its own jurisdiction only.
  if (!buckets.has(name) || place.jurisdiction !== jurisdiction) return { status: 404 }
  if (about === undefined) return ok({ name, location: (place.locationHint ?? 'enam').toUpperCase() })
  if (about === '/lifecycle') {
    if (method === 'PUT') lifecycles.set(name, sent['rules'] as object[])
    return ok({ rules: lifecycles.get(name) ?? [] })
  }
  if (method === 'PUT') locks.set(name, sent['rules'] as LockRule[])
  return ok({ rules: locks.get(name) ?? [] })
}

export function objectAnswer(
  { buckets, locks, objects }: Buckets,
  method: string,
  { bucket, key, body }: { readonly bucket: string; readonly key: string; readonly body: Buffer },
): Answer {
  if (!buckets.has(bucket)) return { status: 404 }
  const known = objects.get(`${bucket}/${key}`)
  const isLocked = locks.get(bucket)?.some(({ enabled, prefix }) => enabled && key.startsWith(prefix)) === true
  if (known !== undefined && method !== 'GET' && isLocked) return { status: 403 }
  if (method === 'DELETE') {
    objects.delete(`${bucket}/${key}`)
    return ok({ key })
  }
  if (method === 'GET') return known === undefined ? { status: 404 } : { status: 200, bytes: known }
  objects.set(`${bucket}/${key}`, body)
  return ok({ key })
}

const ok = (result: unknown): Answer => ({ status: 200, result })
