import { type Import, importsOf } from '@svc/platform/imports'

interface Rule {
  name: string
  /** The files that the rule applies to, by repository path. */
  from: RegExp
  except?: RegExp
  forbid: (imported: Import, file: string) => boolean
}

/** The allowed dependencies between packages. */
export const PACKAGE_EDGES: Record<string, readonly string[]> = {
  pqc: [],
  fingerprint: [],
  'rate-limit': [],
  protocol: ['pqc'],
  tlog: ['protocol'],
  objects: ['protocol'],
  log: ['protocol', 'objects'],
  assertion: ['protocol', 'pqc', 'objects'],
  service: ['protocol', 'assertion', 'log', 'objects', 'rate-limit'],
  client: ['protocol', 'assertion', 'pqc', 'fingerprint', 'tlog'],
  cli: ['client'],
  console: ['client'],
  testing: ['client', 'protocol', 'assertion', 'pqc'],
}

/** The allowed dependencies between the tools of `scripts/`. Every tool may import packages. */
export const TOOL_EDGES: Record<string, readonly string[]> = {
  site: [],
  mirroring: [],
  witnessing: [],
  platform: ['site', 'witnessing'],
  operations: ['mirroring', 'platform', 'site', 'witnessing'],
  walkthrough: ['platform', 'operations'],
  benchmarks: ['platform', 'operations', 'site'],
  fuzzing: ['platform', 'walkthrough'],
  release: ['platform', 'operations', 'site', 'walkthrough'],
  checks: ['mirroring', 'platform', 'operations', 'site'],
}

/** What examples may depend on: the packages that are published. */
export const EXAMPLE_EDGES: readonly string[] = ['client', 'fingerprint']

export const PACKAGE_FILE = /^packages\/([^/]+)\//
const RULES_FILE = /^workers\/[^/]+\/src\/.*[/-]rules\.ts$/
const ROUTES_FILE = /^workers\/[^/]+\/src\/.*[/-]routes\.ts$/
const WORKER_SOURCE = /^workers\/[^/]+\/src\//
const TEST = /\.test\.ts$|^(workers|packages)\/[^/]+\/test\//
const HTTP = /^(hono|@hono\/)/
const WORKER_PACKAGE = /^@svc\/[a-z]+-worker(\/|$)/
export const TOOL_FILE = /^scripts\/([^/]+)\//
const PUBLISHED_PACKAGE = /^@svc\/(client|fingerprint)(\/|$)/
export const EXAMPLE_FILE = /^examples\/[^/]+\//
const TOOL_PACKAGE = new RegExp(`^@svc/(${Object.keys(TOOL_EDGES).join('|')})(?:/|$)`)

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
    name: 'examples import the published packages by name, as readers who copy them will, and not each other',
    from: EXAMPLE_FILE,
    forbid: ({ specifier, target }, file) =>
      (target.startsWith('@svc/') && !PUBLISHED_PACKAGE.test(target)) ||
      (specifier.startsWith('.') && topFolder(target) !== topFolder(file)),
  },
  {
    name: 'only tests import examples',
    from: /^(packages|workers|scripts)\//,
    except: TEST,
    forbid: imports(/^(examples\/|@svc\/example-)/),
  },
  {
    name: 'packages do not import Workers, and import each other by name only',
    from: PACKAGE_FILE,
    except: /vitest[^/]*\.config\.ts$/,
    forbid: ({ specifier, target }, file) =>
      WORKER_PACKAGE.test(target) || (specifier.startsWith('.') && topFolder(target) !== topFolder(file)),
  },
  {
    name: 'packages and Workers do not import tools',
    from: /^(packages|workers)\//,
    forbid: imports(TOOL_PACKAGE),
  },
  {
    name: 'tools import each other by name, along the allowed edges',
    from: TOOL_FILE,
    forbid: ({ specifier, target }, file) => {
      const from = TOOL_FILE.exec(file)?.[1] ?? ''
      const to = specifier.startsWith('.') ? TOOL_FILE.exec(target)?.[1] : TOOL_PACKAGE.exec(specifier)?.[1]
      if (to === undefined) return false
      return specifier.startsWith('.') ? to !== from : TOOL_EDGES[from]?.includes(to) !== true
    },
  },
  {
    name: 'Workers do not import each other, and import packages by name only',
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
    name: 'code that is published names the packages within it by #, as its manifest does',
    from: /^packages\/(assertion|cli|client|protocol|tlog)\/src\//,
    except: /\.(test|fixture)\.ts$/,
    forbid: ({ specifier }) => /^@svc\/(?!objects(\/|$))/.test(specifier),
  },
  {
    name: 'protocol and pqc do not depend on a transport or a platform',
    from: /^packages\/(protocol|pqc)\//,
    except: TEST,
    forbid: imports(/^(hono|@hono\/|cloudflare:)/),
  },
  {
    name: 'the client runs in browsers and imports no server code',
    from: /^packages\/client\/src\/(?!node\/)/,
    except: TEST,
    forbid: imports(/^(hono|@hono\/|cloudflare:|node:)|^@svc\/(assertion\/worker|objects|service)(\/|$)/),
  },
  {
    name: 'the client for programs imports no server code',
    from: /^packages\/client\/src\/node\//,
    except: TEST,
    forbid: imports(/^(hono|@hono\/|cloudflare:)|^@svc\/(assertion\/worker|objects|service)(\/|$)/),
  },
  {
    name: 'the console runs in browsers and imports no server code',
    from: /^packages\/console\/src\//,
    except: TEST,
    forbid: imports(/^(hono|@hono\/|cloudflare:|node:)|^@svc\/(assertion|objects|service|testing)(\/|$)/),
  },
  {
    name: 'the command line is built on the SDK alone',
    from: /^packages\/cli\/src\//,
    except: TEST,
    forbid: imports(/^(hono|@hono\/|cloudflare:)|^@svc\/(?!client(\/|$))/),
  },
  {
    name: 'rules are pure',
    from: RULES_FILE,
    forbid: imports(
      /^(hono|@hono\/|cloudflare:|@svc\/service(?!\/counter$))|[/-](store|object|transaction|service|client|routes)\.ts$|-index\.ts$/,
    ),
  },
  {
    name: 'only index.ts and object files import the runtime',
    from: /^(workers|packages)\/[^/]+\/src\//,
    except:
      /\.test\.ts$|^workers\/[^/]+\/src\/(index\.ts$|.*[/-]object\.ts$)|^packages\/objects\/src\/(versioned-object|testing\/[^/]+)\.ts$/,
    forbid: importsAtRunTime(/^cloudflare:/),
  },
  {
    name: 'routes access storage through services only',
    from: ROUTES_FILE,
    except: TEST,
    forbid: importsAtRunTime(/[/-](store|object)\.ts$|-index\.ts$|\/services\.ts$/),
  },
  {
    name: 'services, stores and objects do not import an HTTP framework',
    from: /^workers\/.*[/-](service|store|object|transaction|rules)\.ts$|-index\.ts$/,
    except: /^workers\/[^/]+\/src\/service\.ts$/,
    forbid: imports(HTTP),
  },
  {
    name: 'only app.ts and other routes import routes',
    from: WORKER_SOURCE,
    except: /\.test\.ts$|[/-]routes\.ts$|^workers\/[^/]+\/src\/([a-z]+-)?app\.ts$/,
    forbid: imports(ROUTES_FILE),
  },
  {
    name: 'no Worker carries what only describes it: that is in the files that its build writes',
    from: /^workers\/[^/]+\/src\/|^packages\/service\/src\/(?!testing\/|openapi\/(?!routes\.ts$))/,
    except: TEST,
    forbid: importsAtRunTime(
      /^packages\/service\/src\/openapi\/(?!routes\.ts$|description-files\.ts$)|^@svc\/service\/(document|examples|markdown)$|^@hono\/zod-openapi$|(^|\/)(examples|openapi)\.json$/,
    ),
  },
  {
    name: 'deployed code does not import test support',
    from: /^(workers|packages)\/[^/]+\/src\//,
    except: /\.test\.ts$|^packages\/(testing|(objects|service)\/src\/testing)/,
    forbid: imports(/^@svc\/testing(\/|$)|^@svc\/service\/testing$|^vitest(\/|$)/),
  },
]

/** Rules on the text of a file, for what imports do not show. */
const TEXT_RULES = [
  { name: 'routes use c.var.services, not c.env', from: ROUTES_FILE, forbid: /\bc\.env\b/ },
  {
    name: 'TypeScript privacy is callable over RPC: use #private',
    from: /[/-]object\.ts$|^workers\/[^/]+\/src\/index\.ts$/,
    forbid: /^\s*(private|protected)\s/m,
  },
  {
    name: 'every Durable Object extends VersionedObject, which migrates what it keeps',
    from: /^(workers|packages)\/(?!objects\/)[^/]+\/src\//,
    forbid: /\bextends DurableObject\b/,
  },
  {
    name: 'the signers of a deployment are made in services.ts, and objects keep what services have signed',
    from: /^workers\/[^/]+\/src\/(?!services\.ts$)/,
    forbid: /\bnew DeploymentSigner\(/,
  },
  {
    name: 'objects are opened in the deployment’s jurisdiction, with objectsIn',
    from: /^workers\/[^/]+\/src\//,
    forbid: /\benv\.[A-Z_]+\.(getByName|idFromName|newUniqueId)\b/,
  },
  {
    name: 'rules take time and chance as arguments',
    from: RULES_FILE,
    forbid: /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bgetRandomValues\(|\brandomUUID\(/,
  },
]

/** Returns one line per violation. */
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
