import type { Parameter } from '../src/arguments/check.ts'

export const SURPLUS = 'one more argument'

export interface BadCall {
  readonly what: string
  readonly args: readonly unknown[]
  readonly argument: string
}

/** For each parameter: left out, something else than an object, with a member that is unknown, without one that is needed. */
export function badCalls(parameters: readonly Parameter[]): readonly BadCall[] {
  const surplus = { what: SURPLUS, args: [...parameters.map(good), 1], argument: `${parameters.length}` }
  return [surplus, ...parameters.flatMap((one, i) => badOnes(one, parameters.slice(0, i).map(good)))]
}

function badOnes(parameter: Parameter, before: readonly unknown[]): readonly BadCall[] {
  const [named, members] = typeof parameter === 'string' ? [parameter] : parameter
  const name = named.replace('?', '')
  const bad: BadCall[] = []
  if (named === name) bad.push({ what: `no ${name}`, args: before, argument: name })
  if (!members) return bad
  bad.push({ what: `a text as ${name}`, args: [...before, 'my text'], argument: name })
  const unknown = { ...(good(parameter) as object), unheardOf: 1 }
  bad.push({ what: `an unknown member of ${name}`, args: [...before, unknown], argument: `${name}.unheardOf` })
  for (const [member, need] of Object.entries(members)) {
    if (need === 0) continue
    const without = { ...(good(parameter) as object), [member]: undefined }
    bad.push({ what: `${name} without ${member}`, args: [...before, without], argument: `${name}.${member}` })
  }
  return bad
}

function good(parameter: Parameter): unknown {
  if (typeof parameter === 'string') return 'something'
  return Object.fromEntries(Object.entries(parameter[1]).flatMap(([name, need]) => (need === 1 ? [[name, 1]] : [])))
}
