import { type RebuildOptions, type Rebuilt, Recorder } from '@svc/objects/records'
import { doneOrDelayed } from '@svc/service'
import { AnchorOwnerObject } from '../anchors/owner-object.ts'
import { CORE_SKEW_MS } from '../env.ts'
import { recordsOf } from '../records/places.ts'
import { IDENTITY, IDENTITY_RECORDS } from './schema.ts'

/** What the object of an identity does for its records. */
export abstract class RecordedIdentityObject extends AnchorOwnerObject {
  // A property of the instance: it cannot be reached over RPC.
  /** By the alarm. Never rejects. */
  readonly record = (): Promise<boolean> =>
    doneOrDelayed({ service: 'core', delayed: 'records' }, () => this.#recorder.run(Date.now()))
  readonly #recorder: Recorder

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#recorder = new Recorder(this.stored, {
      name: ctx.id.name ?? '',
      plan: IDENTITY_RECORDS,
      place: recordsOf(env, 'identities'),
      onRebuilt: (lostAt) => {
        if (this.stored.is(IDENTITY)) this.transaction.onRebuilt(lostAt + CORE_SKEW_MS)
      },
    })
  }

  /** Makes the object what its records say. */
  async rebuild(options: RebuildOptions): Promise<Rebuilt | 'failed'> {
    let outcome: Rebuilt | 'failed' = 'failed'
    await doneOrDelayed({ service: 'core', delayed: 'rebuilding an object' }, async () => {
      outcome = await this.#recorder.rebuild(options, Date.now())
    })
    return outcome
  }
}
