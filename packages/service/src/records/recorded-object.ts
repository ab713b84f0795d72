import { type Rehearse, type Schema, VersionedObject } from '@svc/objects'
import { type RebuildOptions, type Rebuilt, Recorder, type RecordPlan } from '@svc/objects/records'
import { RECORDED_OBJECTS, type RecordedObjects, type RecordingService } from '@svc/protocol/operator/rebuild-objects'
import { doneOrDelayed } from '../app/log.ts'
import { type RecordsEnv, recordPlaceOf } from './record-place.ts'

const END_AGAIN_MS = 5 * 60_000

/** What a class records of its objects. */
export interface ObjectRecords {
  readonly objects: RecordedObjects
  readonly plan: RecordPlan
}

/**
 * The base of every Durable Object class whose state is worth keeping: what changes is recorded outside of it, from which
 * an operator rebuilds an object that was lost (workers/docs/pages/developer/restore.md). The alarm of a class calls
 * `keepRecords`.
 */
export abstract class RecordedObject<Bindings extends RecordsEnv> extends VersionedObject<Bindings> {
  static readonly records: ObjectRecords
  static override readonly schemas: readonly Schema[] = []

  // Properties of the instance: unlike methods of the class, those cannot be reached over RPC.
  /** By the alarm. Never rejects. */
  readonly keepRecords = (): Promise<boolean> =>
    doneOrDelayed({ service: this.#service, delayed: 'records' }, () => this.#recorder.run(Date.now()))
  /**
   * Deletes an object that has nothing more to keep, and its records, if it is still over when that is done. Never rejects:
   * if a store fails, the object stays, and the next alarm tries again.
   */
  readonly end = (isOver: () => boolean): Promise<boolean> =>
    doneOrDelayed({ service: this.#service, delayed: 'records' }, async () => {
      try {
        await this.#recorder.end(isOver, Date.now())
      } catch (error) {
        void this.stored.alarm.by(Date.now() + END_AGAIN_MS)
        throw error
      }
    })
  /** In the transaction in which a rebuilt object exists again. Nothing was accepted after this time, in the lost state. */
  onRebuilt: (lostAt: number) => void = () => {}
  /** Before a rebuilt object exists: rejects with a `RecordFault` if its rows are not what was signed. */
  proveRebuilt: ((rehearse: Rehearse) => Promise<void>) | null = null
  readonly #recorder: Recorder
  readonly #service: RecordingService

  constructor(ctx: DurableObjectState, env: Bindings) {
    super(ctx, env)
    const { objects, plan } = new.target.records
    this.#service = serviceOf(objects)
    this.#recorder = new Recorder(this.stored, {
      name: ctx.id.name ?? '',
      plan,
      place: recordPlaceOf(env, objects),
      rules: {
        onRebuilt: (lostAt) => {
          this.onRebuilt(lostAt)
        },
        prove: () => this.proveRebuilt,
      },
    })
  }

  override async alarm(): Promise<void> {
    this.stored.alarm.wentOff()
    await this.keepRecords()
  }

  /** Makes the object what its records say. */
  async rebuildFromRecords(options: RebuildOptions): Promise<Rebuilt | 'failed'> {
    let outcome: Rebuilt | 'failed' = 'failed'
    await doneOrDelayed({ service: this.#service, delayed: 'rebuilding an object' }, async () => {
      outcome = await this.#recorder.rebuild(options, Date.now())
    })
    return outcome
  }
}

function serviceOf(objects: RecordedObjects): RecordingService {
  const services = Object.keys(RECORDED_OBJECTS) as RecordingService[]
  const service = services.find((one) => (RECORDED_OBJECTS[one] as readonly RecordedObjects[]).includes(objects))
  if (!service) throw new Error(`no service records ${objects}`)
  return service
}
