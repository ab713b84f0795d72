/** Parts of a path that say nothing about what it is for. */
const PREFIX = /^\/(?:api\/)?(?:v1\/|1\.0\/)?/
const SUFFIX = /\.(?:css|js|json|md|html|txt|xml)$/
/** What every service has, and files about a host. */
const SERVICE = new Set(
  '|health|version|capabilities|meta|.well-known|openapi|docs|index|robots|llms|llms-full|sitemap'.split('|'),
)

/** The group of an operation in generated clients and references: `chain` for `/api/chain/head`. */
export function tagOf(path: string): string {
  const [first = ''] = path.replace(PREFIX, '').split('/')
  const name = first.replace(SUFFIX, '')
  return SERVICE.has(name) || name.startsWith('{') ? 'service' : name
}
