import { ownAddress } from '../world.ts'

const MAX_REDIRECTS = 10

/**
 * A browser that goes to the local identity provider and comes back to a page: it follows redirects, keeps cookies and
 * sends the provider's form. Returns the fragment with which it arrives at the page.
 */
export async function visitProvider(start: string, page: string, email: string): Promise<URLSearchParams> {
  const cookies = new Map<string, string>()
  const address = ownAddress()
  let next: { readonly url: string; readonly form?: URLSearchParams } = { url: start }
  for (let step = 0; step < MAX_REDIRECTS; step += 1) {
    const { url, form } = next
    if (url.startsWith(page)) return new URLSearchParams(new URL(url).hash.slice(1))
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, {
      ...(form ? { method: 'POST', body: form } : {}),
      headers: { ...address, cookie },
      redirect: 'manual',
    })
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      cookies.set(name, value)
    }
    const location = response.headers.get('location')
    if (location !== null) next = { url: new URL(location, url).href }
    else if (response.ok && !form)
      next = { url, form: new URLSearchParams({ email, verified: 'on', answer: 'approve' }) }
    else throw new Error(`${new URL(url).pathname} answered ${response.status}`)
    await response.body?.cancel()
  }
  throw new Error(`More than ${MAX_REDIRECTS} redirects`)
}
