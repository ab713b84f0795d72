import { SetupError } from '@svc/platform/workspace'
import { boundOf, uploadOrder } from '../deploy-order.ts'
import type { Deploying, Step } from './files.ts'

/** The upload order if the account already has the scripts in `existing`. */
export function stepsOf(
  { configs, deployment: { suffix } }: Pick<Deploying, 'configs' | 'deployment'>,
  existing: ReadonlySet<string>,
): Step[] {
  const byScript = new Map([...configs].map(([worker, config]) => [config.name, { worker, config }]))
  const there = [...byScript.keys()].filter((script) => existing.has(script + suffix))
  const bound = [...byScript.values()].map(({ config }) => boundOf(config))
  return uploadOrder(bound, new Set(there)).map(({ name, without }) => {
    const found = byScript.get(name)
    if (found === undefined) throw new SetupError(`A Worker binds to ${name}, which does not belong to this platform.`)
    return { worker: found.worker, without }
  })
}

export function firstOfEach(steps: readonly Step[]): Step[] {
  return steps.filter(({ worker }, index) => steps.findIndex((step) => step.worker === worker) === index)
}

/** What a line about the upload says of its bindings. */
export function notesOf({ without }: Step, repeated: boolean): string {
  if (repeated) return ' again, with all bindings'
  return without.length === 0 ? '' : ` without its binding${without.length > 1 ? 's' : ''} to ${without.join(' and ')}`
}
