/** Texts of answers that are not in the documented form. */

export interface Malformed {
  readonly what: string
  readonly text: string
}

/** Whatever a wrong address, a proxy or a broken service may answer with status 200. */
export const malformedTexts = (text: string): readonly Malformed[] => [
  ...[
    '<!doctype html><title>Welcome</title>',
    '',
    'null',
    '[]',
    '[null]',
    '{}',
    '7',
    '"text"',
    '{"success":true,"data":null,"timestamp":0}',
    '{"success":true,"data":[],"timestamp":0}',
    '{"success":true,"data":{},"timestamp":0}',
  ].map((whole) => ({ what: whole, text: whole })),
  { what: 'half of it', text: text.slice(0, text.length >> 1) },
]

type Path = readonly (string | number)[]

/** The answer with one member of another type or form, for each of its members; of a list, its first entry. */
export function* wrongMembersOf(text: string): Generator<Malformed> {
  const answer = parsed(text)
  if (typeof answer !== 'object' || answer === null) return
  for (const path of pathsOf(answer)) {
    for (const wrong of wrongOf(at(answer, path))) {
      const copy = structuredClone(answer)
      const of = at(copy, path.slice(0, -1)) as Record<string | number, unknown>
      of[path.at(-1) ?? ''] = wrong
      yield { what: `${path.join('.')} = ${JSON.stringify(wrong)}`, text: JSON.stringify(copy) }
    }
  }
}

function wrongOf(value: unknown): readonly unknown[] {
  if (typeof value === 'string') return [7, 'x']
  if (typeof value === 'number') return ['seven', Number.MAX_SAFE_INTEGER]
  if (typeof value === 'boolean') return ['true']
  return Array.isArray(value) ? [null, [null]] : ['text', []]
}

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  const entries = Array.isArray(value) ? [...value.slice(0, 1).entries()] : Object.entries(value)
  const below = entries.flatMap(([name, member]) => pathsOf(member, [...path, name]))
  return path.length === 0 ? below : [path, ...below]
}

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((of, name) => (of as Record<string | number, unknown>)[name], value)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
