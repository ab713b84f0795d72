import { type RebuildOptions, type Rebuilt, RecordFiles } from '@svc/objects/records'
import { reaching } from '@svc/protocol/base/dependency-fault'
import { err, ok, type Result } from '@svc/protocol/base/result'
import {
  REBUILT_AT_ONCE,
  type RebuildObjects,
  type RebuiltObjects,
  type RecordedObjects,
} from '@svc/protocol/operator/rebuild-objects'
import { type RecordsEnv, recordPlaceOf } from './record-place.ts'

/** The part of a namespace of recorded objects that a rebuild calls. */
export interface RebuiltNamespace {
  getByName(name: string): { rebuildFromRecords(options: RebuildOptions): Promise<Rebuilt | 'failed'> }
}

/** Rebuilds objects from their records. Each decides for itself, so a repeated act does nothing twice. */
export class ObjectRebuild<O extends RecordedObjects> {
  readonly #env: RecordsEnv
  readonly #namespaces: Readonly<Record<O, RebuiltNamespace>>

  constructor(env: RecordsEnv, namespaces: Readonly<Record<O, RebuiltNamespace>>) {
    this.#env = env
    this.#namespaces = namespaces
  }

  /** `not_found` if there is no such object and no record of it, or if the deployment keeps no records. */
  async run(
    { objects, name, after, replaces, lostAt }: RebuildObjects<O>,
    now: number,
  ): Promise<Result<RebuiltObjects, { reason: 'not_found' }>> {
    const place = recordPlaceOf(this.#env, objects)
    if (!place) return err({ reason: 'not_found' })
    const one = name === null ? null : { names: [name], erased: 0, unreadable: 0, next: null }
    const { names, unreadable, next, ...unopened } = one ?? (await new RecordFiles(place).names(after, REBUILT_AT_ONCE))
    const outcomes: (readonly [name: string, outcome: Rebuilt | 'failed'])[] = []
    const options = { replaces, lostAt: Math.min(lostAt, now) }
    // One after the other: objects of one isolate share its memory.
    for (const named of names) {
      const outcome = await reaching(objects, () =>
        this.#namespaces[objects].getByName(named).rebuildFromRecords(options),
      )
      outcomes.push([named, outcome])
    }
    const of = (wanted: Rebuilt | 'failed') =>
      outcomes.flatMap(([named, outcome]) => (outcome === wanted ? [named] : []))
    if (name !== null && of('not_found').length > 0) return err({ reason: 'not_found' })
    const [rebuilt, unchanged, recorded] = [of('rebuilt').length, of('unchanged').length, of('recorded').length]
    const erased = unopened.erased + of('erased').length
    return ok({ rebuilt, unchanged, recorded, erased, newer: of('newer'), failed: of('failed'), unreadable, next })
  }
}
