import { DurableObject } from 'cloudflare:workers'
import type { Schema } from './schema.ts'
import { ObjectStorage } from './storage.ts'

/**
 * The base of every Durable Object class: storage with versioned migrations. A class lists its schemas in `schemas` and
 * reaches its storage through `stored` alone.
 */
export abstract class VersionedObject<Env = unknown> extends DurableObject<Env> {
  /** Usually one; more for a class whose objects are of several kinds. */
  static readonly schemas: readonly Schema[] = []

  /** A property of the instance: unlike methods and getters of the class, those cannot be reached over RPC. */
  readonly stored: ObjectStorage

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    const { schemas } = new.target
    if (schemas.length === 0) throw new Error(`${new.target.name} lists no schema`)
    this.stored = new ObjectStorage(ctx.storage, schemas)
    // Calls wait for it, so that an alarm is set without awaiting what was set before.
    if (this.stored.exists) void ctx.blockConcurrencyWhile(() => this.stored.alarm.load())
    else this.stored.alarm.assumeNone()
  }

  /** Of the code that this object runs, which may be older than its caller's for a while. Makes no object exist. */
  commit(): string {
    const env = this.env as { readonly COMMIT?: string }
    return env.COMMIT ?? 'unknown'
  }
}
