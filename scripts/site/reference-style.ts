/** `url("data:image/svg+xml;charset=utf-8,…")` with escaped quotes, or without quotes. */
const DATA_URI = /url\((?:"data:([^;,"]+)([^,"]*),((?:[^"\\]|\\.)*)"|data:([^;,)]+)([^,)]*),([^)]*))\)/g
const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/svg+xml': 'svg',
  'image/png': 'png',
  'image/jpeg': 'jpg',
}

/** The viewer's styles with embedded images extracted to files, because the site's policy forbids `data:` URLs. */
export function referenceStyle(css: string, asset: (name: string, content: Uint8Array) => string): string {
  let count = 0
  const style = css
    .replaceAll(/\/\*# sourceMappingURL=.*\*\//g, '')
    .replaceAll(DATA_URI, (_, quotedType, quotedRest, quoted, type, rest, plain) => {
      const media = String(quotedType ?? type)
      const extension = EXTENSIONS[media]
      if (extension === undefined) throw new Error(`the style embeds ${media}`)
      count += 1
      const text = String(quoted ?? plain).replaceAll('\\"', '"')
      const isBase64 = String(quotedRest ?? rest).includes('base64')
      return `url(${asset(`picture-${count}.${extension}`, bytesOf(text, isBase64))})`
    })
  if (style.includes('data:')) throw new Error('the style still has embedded data')
  return style
}

function bytesOf(text: string, isBase64: boolean): Uint8Array {
  if (isBase64) return Buffer.from(text, 'base64')
  return Buffer.from(/%[0-9a-f]{2}/i.test(text) ? decodeURIComponent(text) : text)
}
