/**
 * Counts what a Worker uses of the platform, for `bench costs`: the entry that `costs/counted-worker.ts` writes wraps its
 * handlers and objects with this. Each use is one line on the console, which the bench takes out of the log.
 *
 * @module
 */

/** Begins a line that counts something. */
const MARK = '@count '

export function count(resource: string, amount: number): void {
  if (amount > 0) console.log(`${MARK}${resource} ${amount}`)
}

type Call = (...operands: unknown[]) => unknown

const bound = (target: object, value: unknown): unknown =>
  typeof value === 'function' ? (value as Call).bind(target) : value

/** Counts each call of these methods as one of a resource. */
function counting(target: object, methods: Readonly<Record<string, string>>): object {
  return new Proxy(target, {
    get(_, name) {
      const value = Reflect.get(target, name, target) as unknown
      const resource = methods[String(name)]
      if (resource === undefined || typeof value !== 'function') return bound(target, value)
      return (...operands: unknown[]) => {
        count(resource, 1)
        return Reflect.apply(value, target, operands) as unknown
      }
    },
  })
}

const BUCKET = { put: 'bucketWrites', list: 'bucketWrites', get: 'bucketReads', head: 'bucketReads' }
const CACHE = { get: 'cacheReads', getWithMetadata: 'cacheReads', put: 'cacheWrites', delete: 'cacheWrites' }

/** The rows that D1 tells. `first` and `raw` tell none, so they are asked as `all` is. */
function countedDatabase(database: D1Database): object {
  const measured = <T extends D1Result>(result: T): T => {
    count('rowsRead', result.meta.rows_read)
    count('rowsWritten', result.meta.rows_written)
    return result
  }
  const originals = new WeakMap<object, D1PreparedStatement>()
  const statement = (original: D1PreparedStatement): object => {
    const all = async () => measured(await original.all())
    const counted = {
      bind: (...values: unknown[]) => statement(original.bind(...values)),
      all,
      run: all,
      first: async (column?: string) => {
        const [row = null] = (await all()).results
        return row === null || column === undefined ? row : row[column]
      },
      raw: async () => (await all()).results.map((row) => Object.values(row)),
    }
    originals.set(counted, original)
    return counted
  }
  return {
    prepare: (sql: string) => statement(database.prepare(sql)),
    batch: async (statements: object[]) =>
      (await database.batch(statements.map((one) => originals.get(one) ?? (one as D1PreparedStatement)))).map(measured),
    exec: (sql: string) => database.exec(sql),
  }
}

function countedObject(stub: object): object {
  return new Proxy(stub, {
    get(_, name) {
      const value = Reflect.get(stub, name, stub) as unknown
      if (typeof value !== 'function') return value
      return (...operands: unknown[]) => {
        count('objectCalls', 1)
        // A method of a stub is a path, and `method.apply` is another path below it.
        return Reflect.apply(value, stub, operands) as unknown
      }
    },
  })
}

function countedNamespace(namespace: object): object {
  return new Proxy(namespace, {
    get(_, name) {
      const value = Reflect.get(namespace, name, namespace) as unknown
      if (name !== 'getByName' && name !== 'get') return bound(namespace, value)
      return (...operands: unknown[]) => countedObject(Reflect.apply(value as Call, namespace, operands) as object)
    },
  })
}

const kept = new WeakMap<object, object>()

/** The same bindings, counted. `uncounted` are those of an index that a deployment keeps in Vectorize. */
export function countedEnv<E extends object>(env: E, uncounted: readonly string[]): E {
  const known = kept.get(env)
  if (known) return known as E
  const counted: Record<string, unknown> = {}
  for (const [name, binding] of Object.entries(env)) counted[name] = uncounted.includes(name) ? binding : of(binding)
  kept.set(env, counted)
  return counted as E
}

function of(binding: unknown): unknown {
  if (typeof binding !== 'object' || binding === null) return binding
  switch (binding.constructor.name) {
    case 'D1Database':
      return countedDatabase(binding as D1Database)
    case 'R2Bucket':
      return counting(binding, BUCKET)
    case 'KvNamespace':
      return counting(binding, CACHE)
    case 'DurableObjectNamespace':
      return countedNamespace(binding)
    default:
      return binding
  }
}

/** Counts the rows of every statement that an object runs, and its alarms, which are a row each. */
export function countStorage({ storage }: DurableObjectState): void {
  const { sql } = storage
  const exec = sql.exec.bind(sql) as Call
  sql.exec = ((...query: unknown[]) => {
    const cursor = exec(...query) as SqlStorageCursor<Record<string, SqlStorageValue>>
    // A cursor is read to its end before anything else runs.
    queueMicrotask(() => {
      count('rowsRead', cursor.rowsRead)
      count('rowsWritten', cursor.rowsWritten)
    })
    return cursor
  }) as typeof sql.exec
  const setAlarm = storage.setAlarm.bind(storage)
  storage.setAlarm = (...operands) => {
    count('rowsWritten', 1)
    return setAlarm(...operands)
  }
}
