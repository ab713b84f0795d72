import type { Declared } from './declaration.ts'

export interface Lines {
  readonly headers: string
  readonly meta: string
  readonly robots: string
  readonly tdmrep: string
  readonly cawg: string
}

/**
 * What a site sends with a content, empty where there is nothing to say. A rule of `robots.txt` that has no path is only
 * given for a whole site: for less, it would say more than is declared.
 */
export function linesOf({ projections }: Pick<Declared, 'projections'>, path: string): Lines {
  const { content_usage: usage, content_signal: signal, x_robots_tag: robots, cawg } = projections
  const { tdm_reservation: reservation } = projections
  const rules = [
    ...lineIf(usage, `Content-Usage: ${path} ${usage}`),
    ...lineIf(path === '/' ? signal : null, `Content-Signal: ${signal}`),
  ]
  return {
    headers: [
      ...lineIf(usage, `Content-Usage: ${usage}`),
      ...lineIf(robots, `X-Robots-Tag: ${robots}`),
      ...lineIf(reservation, `TDM-Reservation: ${reservation}`),
    ].join('\n'),
    meta: [
      ...lineIf(robots, `<meta name="robots" content="${robots}">`),
      ...lineIf(reservation, `<meta name="tdm-reservation" content="${reservation}">`),
    ].join('\n'),
    robots: rules.length === 0 ? '' : ['User-agent: *', ...rules].join('\n'),
    tdmrep: reservation === null ? '' : JSON.stringify([{ location: path, 'tdm-reservation': reservation }]),
    cawg: cawg === null ? '' : JSON.stringify({ entries: cawg }, null, 2),
  }
}

const lineIf = (value: unknown, line: string): string[] => (value === null ? [] : [line])

/** Where a content is on its site: the path of its address, and the whole site for what has none. */
export function pathOf(identifier: string): string {
  const url = /^https?:/.test(identifier) ? URL.parse(identifier) : null
  return url === null ? '/' : url.pathname + url.search
}
