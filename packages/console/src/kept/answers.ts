import type { Fetch } from '@svc/client'

const CACHE = 'verify-answers'

/**
 * A `fetch` that keeps the public answers of the services in this browser, and gives the last one while the service
 * cannot be reached. The SDK verifies each answer anew. A browser that blocks storage keeps none.
 */
export const fetchOrRecall: Fetch = async (url, init) => {
  const isPublic = init.method === 'GET' && init.headers['authorization'] === undefined
  const cache = isPublic ? await opened() : null
  if (!cache) return fetch(url, init)
  try {
    const response = await fetch(url, init)
    // Without room, the answer is as good.
    if (response.ok) await cache.put(url, response.clone()).catch(console.warn)
    return response
  } catch (error) {
    const kept = await cache.match(url)
    if (kept) return kept
    throw error
  }
}

async function opened(): Promise<Cache | null> {
  try {
    return await caches.open(CACHE)
  } catch {
    return null
  }
}
