import { DEFAULT_PORT_BASE, gatewayPortOf } from '@svc/platform/workspace'

/** Where the pages have the site of a caller. */
export const CALLER_PORT = 3000
const PORT = /(?<=\b(?:localhost|127\.0\.0\.1)(?::|%3A))\d+/g

/** The local ports that a text names. */
export const localPortsIn = (text: string): number[] => [...text.matchAll(PORT)].map(([port]) => Number(port))

/** Whether a reader who follows the pages has something on this port. */
export const isDefaultPort = (port: number): boolean =>
  port === CALLER_PORT || (port >= DEFAULT_PORT_BASE && port <= gatewayPortOf(DEFAULT_PORT_BASE))

/** A text of a platform on `portBase` as a platform on the default ports has it. Other servers are the caller’s. */
export function onDefaultPorts(text: string, portBase: number): string {
  return text.replaceAll(PORT, (found) => {
    const port = DEFAULT_PORT_BASE + Number(found) - portBase
    return `${isDefaultPort(port) ? port : CALLER_PORT}`
  })
}
