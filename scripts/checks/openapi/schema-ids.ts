import { ROOT } from '@svc/platform/workspace'

interface Schema {
  toJSONSchema(options: { unrepresentable: 'any' }): object
}

interface Use {
  id: string
  shape: string
  /** The repository paths on the stack, innermost first. */
  callers: string[]
}

interface Registry {
  add(schema: Schema, ...meta: { id?: string }[]): unknown
}

export interface SchemaIds {
  /** Ids that a Worker's document has for two different schemas. The generator would silently merge them. */
  conflicts(worker: string): string[]
}

const REGISTRY = '__zod_globalRegistry'

/** Records every `.meta({ id })`. Call it before anything imports zod, which has one registry per process. */
export function recordSchemaIds(): SchemaIds {
  const uses: Use[] = []
  let registry: Registry | undefined
  Object.defineProperty(globalThis, REGISTRY, {
    get: () => registry,
    set(created: Registry) {
      const add = created.add.bind(created)
      created.add = (schema, ...meta) => {
        const added = add(schema, ...meta)
        const id = meta[0]?.id
        if (id !== undefined) uses.push({ id, shape: shapeOf(schema), callers: repositoryCallers() })
        return added
      }
      registry = created
    },
  })
  return {
    conflicts: (worker) => {
      const byId = Map.groupBy(
        uses.filter((use) => isReachedFrom(worker, use)),
        ({ id }) => id,
      )
      return [...byId].flatMap(([id, sameId]) => {
        const [first, second] = new Map(sameId.map((use) => [use.shape, use])).values()
        if (first === undefined || second === undefined) return []
        return [`two different schemas have the id ${id} (${first.callers[0]} and ${second.callers[0]})`]
      })
    },
  }
}

/** A Worker's own schemas and those of packages, no matter which Worker loaded the package first. */
function isReachedFrom(worker: string, { callers }: Use): boolean {
  const workers = callers.filter((file) => file.startsWith('workers/'))
  return workers.length === 0 || workers.some((file) => file.startsWith(`workers/${worker}/`))
}

function shapeOf(schema: Schema): string {
  return JSON.stringify(schema.toJSONSchema({ unrepresentable: 'any' }))
}

function repositoryCallers(): string[] {
  const before = Error.stackTraceLimit
  Error.stackTraceLimit = 60
  const stack = new Error('callers').stack ?? ''
  Error.stackTraceLimit = before
  return [...stack.matchAll(/file:\/\/([^\s)]+)/g)].flatMap(([, path = '']) => {
    const file = decodeURI(path)
    return file.startsWith(`${ROOT}/`) && !/node_modules|\/scripts\//.test(file) ? [file.slice(ROOT.length + 1)] : []
  })
}
