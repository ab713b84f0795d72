/** Long enough for a browser that starts a download late. */
const KEPT_MS = 60_000

/** Downloads what was made in this page. Never shown: it may be anything that somebody sent. */
export function saveFile(name: string, content: BlobPart): void {
  const url = URL.createObjectURL(new Blob([content], { type: 'application/octet-stream' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS)
}
