import { type Import, importsOf } from './imports.ts'

interface Rule {
  name: string
  /** Files, by repository path, that the rule is about. */
  from: RegExp
  except?: RegExp
  forbid: (imported: Import, file: string) => boolean
}

/** The only edges between packages, and all of them. */
export const PACKAGE_EDGES: Record<string, readonly string[]> = {
  pqc: [],
  fingerprint: [],
  'rate-limit': [],
  protocol: ['pqc'],
  assertion: ['protocol', 'pqc'],
  service: ['protocol', 'assertion', 'rate-limit'],
  client: ['protocol', 'assertion', 'pqc', 'fingerprint'],
  testing: ['client', 'protocol', 'assertion', 'pqc'],
}

export const PACKAGE_FILE = /^packages\/([^/]+)\//
const WORKER_SOURCE = /^workers\/[^/]+\/src\//
const TEST = /\.test\.ts$|^(workers|packages)\/[^/]+\/test\//
const HTTP = /^(hono|@hono\/)/
const WORKER_PACKAGE = /^@svc\/[a-z]+-worker(\/|$)/

const imports =
  (pattern: RegExp) =>
  ({ target }: Import) =>
    pattern.test(target)

const importsAtRunTime =
  (pattern: RegExp) =>
  ({ target, typeOnly }: Import) =>
    !typeOnly && pattern.test(target)

const RULES: Rule[] = [
  {
    name: 'packages never reach into workers, nor into each other except by name',
    from: PACKAGE_FILE,
    except: /vitest[^/]*\.config\.ts$/,
    forbid: ({ specifier, target }, file) =>
      WORKER_PACKAGE.test(target) || (specifier.startsWith('.') && topFolder(target) !== topFolder(file)),
  },
  {
    name: 'no Worker imports another, nor a package except by name',
    from: /^workers\//,
    except: /vitest[^/]*\.config\.ts$/,
    forbid: ({ specifier, target }, file) =>
      WORKER_PACKAGE.test(target) ||
      (specifier.startsWith('.') && topFolder(target) !== topFolder(file) && !target.endsWith('/openapi.json')),
  },
  {
    name: 'the edges between packages are fixed',
    from: PACKAGE_FILE,
    forbid: ({ target }, file) => {
      const to = /^@svc\/([a-z-]+)/.exec(target)?.[1]
      const from = PACKAGE_FILE.exec(file)?.[1]
      return to !== undefined && from !== undefined && to !== from && PACKAGE_EDGES[from]?.includes(to) !== true
    },
  },
  {
    name: 'protocol and pqc know no transport and no platform',
    from: /^packages\/(protocol|pqc)\//,
    except: TEST,
    forbid: imports(/^(hono|@hono\/|cloudflare:)/),
  },
  {
    name: 'the client runs in browsers and knows no server',
    from: /^packages\/client\/src\//,
    except: TEST,
    forbid: imports(/^(hono|@hono\/|cloudflare:|node:)|^@svc\/(assertion\/worker|service)(\/|$)/),
  },
  {
    name: 'domain files are pure',
    from: /^workers\/[^/]+\/src\/(?:[^/]+\/)*([a-z0-9-]+)\/\1\.ts$/,
    forbid: imports(
      /^(hono|@hono\/|cloudflare:|@svc\/service(?!\/counter$))|-(store|index|object|service|client)\.ts$/,
    ),
  },
  {
    name: 'only index.ts and object files import the runtime',
    from: /^(workers|packages)\/[^/]+\/src\//,
    except:
      /\.test\.ts$|^workers\/[^/]+\/src\/(index\.ts$|.*-object\.ts$)|^packages\/(assertion\/src\/worker|service\/src\/counter)\/[^/]*-object\.ts$/,
    forbid: importsAtRunTime(/^cloudflare:/),
  },
  {
    name: 'routes reach storage only through services',
    from: /^workers\/[^/]+\/src\/routes\//,
    except: TEST,
    forbid: importsAtRunTime(/-(store|index|object)\.ts$|\/services\.ts$/),
  },
  {
    name: 'services, stores and objects know no HTTP framework',
    from: /-(service|store|index|object)\.ts$/,
    forbid: imports(HTTP),
  },
  {
    name: 'outside of routes, nothing imports a route except app.ts',
    from: WORKER_SOURCE,
    except: /\.test\.ts$|^workers\/[^/]+\/src\/(routes\/|([a-z]+-)?app\.ts$)/,
    forbid: imports(/^workers\/[^/]+\/src\/routes\//),
  },
  {
    name: 'test support stays out of what is deployed',
    from: /^(workers|packages)\/[^/]+\/src\//,
    except: /\.test\.ts$|^packages\/(testing|service\/src\/testing)/,
    forbid: imports(/^@svc\/testing(\/|$)|^@svc\/service\/testing$|^vitest(\/|$)/),
  },
]

/** What may not stand in the text of a file, where imports cannot tell. */
const TEXT_RULES = [
  { name: 'routes use c.var.services, not c.env', from: /^workers\/[^/]+\/src\/routes\//, forbid: /\bc\.env\b/ },
  {
    name: 'TypeScript privacy is callable over RPC: use #private',
    from: /-object\.ts$|^workers\/[^/]+\/src\/index\.ts$/,
    forbid: /^\s*(private|protected)\s/m,
  },
  {
    name: 'domain files take time and chance as arguments',
    from: /^workers\/[^/]+\/src\/(?:[^/]+\/)*([a-z0-9-]+)\/\1\.ts$/,
    forbid: /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bgetRandomValues\(|\brandomUUID\(/,
  },
]

/** One line for each boundary that a file crosses. */
export function violations(file: string, source: string): string[] {
  const imported = importsOf(file, source)
  const crossed = RULES.filter(({ from, except }) => from.test(file) && except?.test(file) !== true).flatMap(
    ({ name, forbid }) =>
      imported.filter((one) => forbid(one, file)).map(({ specifier }) => `${file}: "${specifier}" (${name})`),
  )
  const written = TEXT_RULES.filter(({ from, forbid }) => from.test(file) && forbid.test(source)).map(
    ({ name }) => `${file}: ${name}`,
  )
  return [...crossed, ...written]
}

function topFolder(path: string): string {
  return path.split('/').slice(0, 2).join('/')
}
