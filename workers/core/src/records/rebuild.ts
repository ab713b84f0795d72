import { type RebuildOptions, type Rebuilt, RecordFiles, type RecordPlace } from '@svc/objects/records'
import { reaching } from '@svc/protocol/base/dependency-fault'
import { err, ok, type Result } from '@svc/protocol/base/result'
import {
  type CoreObjects,
  REBUILT_AT_ONCE,
  type RebuildObjects,
  type RebuiltObjects,
} from '@svc/protocol/operator/rebuild-objects'

/** A class of objects that are recorded. */
export interface RecordedClass {
  /** Null in a deployment that keeps no records. */
  readonly place: RecordPlace | null
  readonly rebuild: (name: string, options: RebuildOptions) => Promise<Rebuilt | 'failed'>
}

/** Rebuilds objects from their records. Each decides for itself, so a repeated act does nothing twice. */
export class ObjectRebuild {
  readonly #classes: Readonly<Record<CoreObjects, RecordedClass>>

  constructor(classes: Readonly<Record<CoreObjects, RecordedClass>>) {
    this.#classes = classes
  }

  /** `not_found` if there is no such object and no record of it, or if the deployment keeps no records. */
  async run(
    { objects, name, after, replaces, lostAt }: RebuildObjects,
    now: number,
  ): Promise<Result<RebuiltObjects, { reason: 'not_found' }>> {
    const { place, rebuild } = this.#classes[objects]
    if (!place) return err({ reason: 'not_found' })
    const one = name === null ? null : { names: [name], unreadable: 0, next: null }
    const { names, unreadable, next } = one ?? (await new RecordFiles(place).names(after, REBUILT_AT_ONCE))
    const outcomes: (readonly [name: string, outcome: Rebuilt | 'failed'])[] = []
    // One after the other: objects of one isolate share its memory.
    for (const named of names) {
      const outcome = await reaching(objects, () => rebuild(named, { replaces, lostAt: Math.min(lostAt, now) }))
      outcomes.push([named, outcome])
    }
    const of = (wanted: Rebuilt | 'failed') =>
      outcomes.flatMap(([named, outcome]) => (outcome === wanted ? [named] : []))
    if (name !== null && of('not_found').length > 0) return err({ reason: 'not_found' })
    const [rebuilt, unchanged, recorded] = [of('rebuilt').length, of('unchanged').length, of('recorded').length]
    return ok({ rebuilt, unchanged, recorded, newer: of('newer'), failed: of('failed'), unreadable, next })
  }
}
