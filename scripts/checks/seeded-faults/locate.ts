import type { Edit, Fault } from './fault.ts'

export interface SourceFile {
  readonly path: string
  readonly text: string
}

/** A fault as one file of a tree has it. */
export interface Seeded {
  readonly path: string
  readonly original: string
  readonly changed: string
}

export class UnusableFault extends Error {
  override readonly name = 'UnusableFault'
}

/** Applies a fault to the sources of a tree. Throws where its text is missing or occurs more than once. */
export function seed({ id, edits }: Pick<Fault, 'id' | 'edits'>, sources: readonly SourceFile[]): Seeded {
  for (const edit of edits) {
    const places = placesOf(edit, sources)
    const [place] = places
    if (!place) continue
    if (places.length > 1) {
      const paths = [...new Set(places.map(({ file }) => file.path))].join(', ')
      throw new UnusableFault(`${id}: its text occurs ${places.length} times (${paths}): make it longer`)
    }
    const { file, from, to } = place
    const changed = file.text.slice(0, from) + edit.replace + file.text.slice(to)
    if (changed === file.text) throw new UnusableFault(`${id}: it changes nothing`)
    return { path: file.path, original: file.text, changed }
  }
  throw new UnusableFault(`${id}: its text is not in the sources: the code has changed, so change the fault with it`)
}

/** What keeps faults from being applied to these sources, one sentence each. */
export function misfits(faults: readonly Fault[], sources: readonly SourceFile[]): string[] {
  return faults.flatMap((fault) => {
    try {
      seed(fault, sources)
      return []
    } catch (error) {
      if (error instanceof UnusableFault) return [error.message]
      throw error
    }
  })
}

interface Place {
  readonly file: SourceFile
  readonly from: number
  readonly to: number
}

function placesOf({ find, in: within }: Edit, sources: readonly SourceFile[]): Place[] {
  const pattern = looseSpace(find)
  return sources
    .filter(({ path }) => within === undefined || within.test(path))
    .flatMap((file) =>
      [...file.text.matchAll(pattern)].map(({ index, 0: { length } }) => ({ file, from: index, to: index + length })),
    )
}

function looseSpace(text: string): RegExp {
  const words = text.trim().split(/\s+/)
  return new RegExp(words.map((word) => word.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')).join('\\s+'), 'g')
}
