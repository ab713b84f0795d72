import type { Fault } from './fault.ts'

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

type Edit = Pick<Fault, 'id' | 'find' | 'replace' | 'in'>

/** Applies a fault to the sources of a tree. Throws where its text is missing or occurs more than once. */
export function seed(fault: Edit, sources: readonly SourceFile[]): Seeded {
  const places = placesOf(fault, sources)
  const [place] = places
  if (!place)
    throw new UnusableFault(
      `${fault.id}: its text is not in the sources: the code has changed, so change the fault with it`,
    )
  if (places.length > 1) {
    const paths = [...new Set(places.map(({ file }) => file.path))].join(', ')
    throw new UnusableFault(`${fault.id}: its text occurs ${places.length} times (${paths}): make it longer`)
  }
  const { file, from, to } = place
  const changed = file.text.slice(0, from) + fault.replace + file.text.slice(to)
  if (changed === file.text) throw new UnusableFault(`${fault.id}: it changes nothing`)
  return { path: file.path, original: file.text, changed }
}

/** What keeps faults from being applied to these sources, one sentence each. */
export function misfits(faults: readonly Edit[], sources: readonly SourceFile[]): string[] {
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
  const words = find.trim().split(/\s+/)
  const pattern = looseSpace(words)
  return (
    sources
      .filter(({ path }) => within === undefined || within.test(path))
      // A search for plain words is many times quicker than for the pattern.
      .filter(({ text }) => words.every((word) => text.includes(word)))
      .flatMap((file) =>
        [...file.text.matchAll(pattern)].map(({ index, 0: { length } }) => ({ file, from: index, to: index + length })),
      )
  )
}

function looseSpace(words: readonly string[]): RegExp {
  return new RegExp(words.map((word) => word.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')).join('\\s+'), 'g')
}
