/** Renders an OpenAPI document as Markdown for people. */
export interface RenderedDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string }
  readonly paths?: object
  readonly components?: { readonly responses?: object }
  readonly 'x-retired'?: readonly { readonly path: string; readonly error: string }[]
}

interface RenderedOperation {
  readonly operationId?: string
  readonly summary?: string
  readonly description?: string
  readonly security?: readonly Record<string, unknown>[]
  readonly responses?: Record<string, { readonly description?: string; readonly $ref?: string }>
  readonly 'x-audience'?: readonly string[]
  readonly 'x-rate-limit'?: {
    readonly tier: string | null
    readonly tierLimit: number | null
    readonly routeLimit?: number
  }
  readonly 'x-max-body-bytes'?: number
}

export function markdownOf(document: RenderedDocument): string {
  const lines = [`# ${document.info.title}`, '', `Version ${document.info.version}. ${document.info.description ?? ''}`]
  // Facts shared by many operations come once, before them.
  for (const response of Object.values(document.components?.responses ?? {}))
    lines.push('', `Any read, 301: ${(response as { description: string }).description}.`)
  const retired = document['x-retired'] ?? []
  if (retired.length > 0)
    lines.push(
      '',
      'Retired, 410 for every method:',
      '',
      ...retired.map(({ path, error }) => `- \`${path}\`: \`${error}\``),
    )
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const [method, operation] of Object.entries(item as Record<string, RenderedOperation>)) {
      lines.push('', ...operationLines(method, path, operation))
    }
  }
  return `${lines.join('\n')}\n`
}

function operationLines(method: string, path: string, operation: RenderedOperation): string[] {
  const limit = operation['x-rate-limit']
  return [
    `## ${method.toUpperCase()} ${path}`,
    '',
    `${operation.summary ?? ''}${operation.description ? `\n\n${operation.description}` : ''}`,
    '',
    `- Credential: ${credentialOf(operation)}`,
    `- Limits in 60 seconds: ${limit?.tier ? `${limit.tierLimit} (tier ${limit.tier})` : 'none'}${limit?.routeLimit ? `, ${limit.routeLimit} on this route` : ''}`,
    ...(operation['x-max-body-bytes'] ? [`- Body: at most ${operation['x-max-body-bytes']} bytes of JSON`] : []),
    '',
    '| Status | Meaning |',
    '|---|---|',
    ...Object.entries(operation.responses ?? {}).flatMap(([status, { description, $ref }]) =>
      $ref === undefined ? [`| ${status} | ${description ?? ''} |`] : [],
    ),
  ]
}

function credentialOf(operation: RenderedOperation): string {
  const schemes = (operation.security ?? []).flatMap((scheme) => Object.keys(scheme))
  if (schemes.length === 0) return 'none'
  const optional = (operation.security ?? []).some((scheme) => Object.keys(scheme).length === 0)
  const audience = operation['x-audience']?.map((name) => `\`${name}\``).join(' or ')
  return `${schemes.join(', ')}${audience ? `, audience ${audience}` : ''}${optional ? ' (optional)' : ''}`
}
