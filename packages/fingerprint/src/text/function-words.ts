/**
 * Words that carry little information because every text contains them: articles, prepositions, pronouns, auxiliaries.
 * One line per language; a word that is a noun in another language has a lower weight there, too. Changing this list
 * changes vectors, and registered texts keep their old ones.
 */
export const FUNCTION_WORDS: readonly string[] = [
  // English
  'the of and to in a is that it was for on with as his they be at one have this from or had by but some what there we can out other were all your when up use how said an each she which do their if will way about many then them would so these her him has more could no my than been who its now did get may over such after most also only into any very just being through where much before between both under while same another because does should those our you i he me us are not',
  // German
  'der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis mehr durch man sein wurde wenn können kein ihre seine dann unter wir soll ich eines doch wo jedoch wieder mir uns was dieser diese dieses ihm ihn ihr ihren ihrer seiner seinem keine worden hatte waren schon sehr hier gegen vom muss kann zwischen',
  // French
  'le la les de des du un une et à en dans que qui il elle ils elles on nous vous je ne pas plus ce cette ces se sa son ses leur leurs au aux par pour sur avec sans sous est sont été être a ont avait avoir fait mais ou où donc comme si tout tous toute même aussi bien très y dont entre après avant ainsi lui c d l n s qu j m t',
  // Spanish
  'de la que el en y a los se del las un por con no una su para es al lo como más o pero sus le ha me si sin sobre este ya entre cuando todo esta ser son dos también fue había era muy años hasta desde está mi porque qué sólo han yo hay vez puede todos así nos ni parte tiene él uno donde bien tiempo mismo ese ahora cada otro',
  // Portuguese
  'o a os as de da do das dos em no na nos nas um uma e é que para com não por se mais como mas foi ao à ele ela eles seu sua seus suas ou ser quando muito há já está eu também só pelo pela até isso entre era depois sem mesmo aos ter são tem esta este esse essa num nem',
  // Italian
  'il lo la i gli le di del della dei delle a al alla ai da dal dalla in nel nella nei con su sul sulla per tra fra un uno una e è che non si sono ma come più anche o se ha hanno era essere questo questa quello suo sua loro ci mi ne cui dove quando molto tutto tutti stato',
  // Dutch
  'de het een en van in is dat op te met voor zijn niet aan er om ook als door bij maar naar uit dan nog of ze hij zij wij ik je we hun haar dit die deze was werd worden wordt heeft had kan over tot meer geen wel al na tussen onder',
  // Swedish, Danish, Norwegian
  'och i att det som en på är av för med den till inte om har de ett han var jag så men vi från när hon ska kan eller efter hade nu man sig vid bara ut där blev och at er til af ikke der han for et jeg var med sig men om har også fra når efter eller kan vil skal være blev ble som på av å å deg meg hva hun',
  // Polish, Czech, Croatian
  'i w na z do się nie to że jest o jak po co od za a dla przez przy był była było są tym tego ten ta te jego jej ich ale czy już tylko oraz może być aby pod nad między a v je se na že s z do o i jako by ale pro při byl byla to který která které jsou jeho po od za už také nebo u su da je se na za od kao koji koja koje bi ali ili sa iz',
  // Russian, Ukrainian, Bulgarian
  'и в не на я что он с как это по но они мы она так его за от все всё у же было ты вы бы о из к до только ещё для или есть был если уже когда чтобы этот эта того без можно надо при тоже нет была были их им мне себя там где чем под после через тут ли кто во со ни её него той той же тем у що та до як це він але є й за від був була було їх його ми ви чи або да се са от си ще към със',
  // Finnish, Estonian, Hungarian
  'ja on ei se että oli hän mutta joka kun ovat niin myös kuin tai sen ole jos hänen mitä vain nyt sitä voi olla mukaan jo kaikki sekä siitä joita vielä mukana kanssa ennen jälkeen mikä miten siis koko näin ja on ei et see oli ta kui mis ka oma või ning siis veel a az és hogy nem is egy ez azt meg csak de van volt már még mint ha el ki fel',
  // Turkish
  've bir bu da de için ile çok ne o gibi daha var ama kadar sonra olarak olan en ki mi değil ya her şey ben sen biz siz onlar bunu şu hem veya ise diye',
  // Indonesian, Malay
  'yang dan di ke dari untuk dengan pada ini itu adalah tidak dalam akan oleh juga sebagai karena ada atau telah bisa dapat mereka kami kita saya dia ia oleh lebih sudah para tersebut namun saat seperti',
  // Vietnamese
  'và của là có được cho không trong các một những với này người đã để khi đến từ ra ở như về cũng nhưng vì sẽ tại bị do thì mà nếu đó lại nên rất nhiều vào theo',
  // Greek
  'και το η ο να του της με που την από για είναι στο θα τα σε δεν των τον μας οι στην μια τη αυτό τους όμως ότι στη στα έχει ή ένα αλλά πως μου σου κατά μετά πριν ήταν έναν μόνο πολύ',
  // Arabic, Persian
  'في من على أن إلى التي عن لا ما هذا الذي هذه كان مع أو بين كل بعد ذلك قد كما لم ثم هو هي غير حيث عند قبل كانت يكون إذا منذ حتى أكثر أي خلال بعض هناك تم ولا به له فيه عليه منها أنه لكن و از به که را با این آن است برای در بود شد می تا هم یا اما نیز',
  // Hebrew
  'של את על לא זה הוא היא עם אני כי גם או אם מה יש היה אבל רק כל אין זאת אל הם כדי אותו בין עד יותר',
  // Hindi, Marathi
  'के का की है और में से को पर यह वह कि ने भी एक हैं नहीं था थे थी हो कर इस उस तो या जो ही तक साथ लिए गया किया अपने आहे आणि',
  // Bengali
  'এবং এই ও একটি করে থেকে জন্য তার হয় না যে করা হয়েছে সেই কিন্তু আর তিনি এর',
  // Korean
  '이 그 저 것 수 등 및 를 을 는 은 가 의 에 와 과 도 로 하는 있는 있다 했다 한다 그리고 그러나 또한 때문에 위해 대한 하지만 것이다 한 더 않는',
  // Chinese
  '的 是 在 了 和 有 不 这 這 我 他 她 它 也 就 人 都 说 而 到 为 為 与 與 对 對 上 中 从 從 被 把 会 會 可以 一个 一個 没有 沒有 我们 我們 他们 他們 因为 因為 所以 但是 如果 已经 已經 还 還 很 更 最 其 之 以 及 或 等 将 將 后 後 前 里 着 过 呢 吗 吧 这个 那个 什么 自己 一',
  // Japanese
  'の は が を に で と も から まで より へ や など です ます した する して いる ある こと もの それ これ その この という として について により ない なる れる られる なかった でも しかし また そして ため よう だった であ ました ません',
  // Thai, Lao
  'ที่ การ และ ใน เป็น ของ ได้ มี จะ ไม่ ว่า ให้ ความ กับ มา จาก ไป โดย ก็ แต่ หรือ นี้ คน อยู่ แล้ว ซึ่ง เพื่อ กัน ยัง ถ้า เมื่อ ต้อง อีก มาก ทำ นั้น เขา เรา ผู้ ถึง ทั้ง ด้วย อย่าง ขึ้น ตาม ແລະ ທີ່ ໃນ ຂອງ ເປັນ ບໍ່ ໄດ້ ມີ ການ',
  // Khmer, Burmese
  'និង ដែល នៅ ក្នុង មាន ជា បាន ការ របស់ ពី ដោយ ទៅ သည် များ ကို နှင့် တွင် မှ ၏ ဖြစ်',
]
