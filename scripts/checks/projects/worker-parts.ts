export interface WorkerPart {
  /** Name of the vitest project. */
  readonly name: string
  readonly include: string[]
  readonly exclude: string[]
}

const filesOf = (folders: readonly string[]) => folders.map((folder) => `test/${folder}/**/*.test.ts`)

/** Splits a Worker's tests by folder into projects. `rest` has every test of no other part, so none is lost. */
export function partsOf<const Folders extends Record<string, readonly string[]>>(worker: string, folders: Folders) {
  const part = (name: keyof Folders & string): WorkerPart => ({
    name: `${worker}-${name}`,
    include: filesOf(folders[name] ?? []),
    exclude: [],
  })
  const rest: WorkerPart = {
    name: worker,
    include: ['test/**/*.test.ts', 'src/**/*.test.ts'],
    exclude: filesOf(Object.values(folders).flat()),
  }
  return { part, rest }
}
