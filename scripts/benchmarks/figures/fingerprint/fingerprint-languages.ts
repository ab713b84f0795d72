/** The vocabulary from which fingerprint-texts.ts generates texts. Written for it, not taken from a corpus. */
export interface Language {
  readonly name: string
  /** Function words, most frequent first. */
  readonly common: readonly string[]
  readonly roots: readonly string[]
  readonly endings: readonly string[]
  /** The separator between words; empty for scripts without spaces. */
  readonly space: string
  readonly stop: string
  /** Function words per 100 words. */
  readonly commonPercent: number
}

const list = (words: string) => words.split(/\s+/)

export const LANGUAGES: readonly Language[] = [
  {
    name: 'English',
    common: list(
      'the of and to in a is that it was for on with as his they be at one have this from or had by but some what there we can out other were all your when up use how said an each she which do their if will way about many then them would so these her him has more could no my than been who its now did get may over such after most also only',
    ),
    roots: list(
      'harbor lantern river bridge copper season garden market window letter stone village forest winter signal engine mirror carpet silver planet border doctor teacher kitchen thread basket island ladder meadow needle orchard pocket quarry ribbon saddle temple valley wagon barrel candle desert fabric glacier hammer insect jacket kettle leather magnet nation olive paper rabbit sample tunnel vessel walnut yellow zephyr anchor bottle canyon debate effort fortune gravel horizon income journey knight lesson motion notice office profit record shadow ticket urban vector wander accept borrow compare deliver explain follow gather handle invent justify measure observe protect reduce select travel unite verify wonder',
    ),
    endings: ['', '', '', 's', 'ed', 'ing', 'er', 'ly', 'ness'],
    space: ' ',
    stop: '. ',
    commonPercent: 45,
  },
  {
    name: 'German',
    common: list(
      'der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis mehr durch man sein wurde wenn können kein ihre seine dann unter wir soll ich eines doch wo jedoch wieder mir uns was',
    ),
    roots: list(
      'hafen laterne fluss brücke kupfer garten markt fenster brief stein dorf wald winter signal motor spiegel teppich silber grenze arzt lehrer küche faden korb insel leiter wiese nadel tasche sattel tempel wagen kerze wüste gletscher hammer jacke kessel leder magnet papier hase probe tunnel gefäß nuss anker flasche streit mühe kies reise ritter stunde büro gewinn schatten karte himmel straße glück öffnung prüfung rechnung schule sprache zeitung arbeit freiheit werk bild blume farbe feuer holz kraft luft meister musik nacht ordnung pflanze quelle raum schiff turm ufer vogel wasser zeit ziel baum dach feld geist',
    ),
    endings: ['', '', 'en', 'er', 's', 'lich', 'ung', 'heit', 'bar'],
    space: ' ',
    stop: '. ',
    commonPercent: 45,
  },
  {
    name: 'Spanish',
    common: list(
      'de la que el en y a los se del las un por con no una su para es al lo como más o pero sus le ha me si sin sobre este ya entre cuando todo esta ser son dos también fue había era muy años hasta desde está mi porque qué sólo han yo hay vez puede todos así nos ni parte tiene él uno donde bien tiempo mismo ese ahora cada vida otro',
    ),
    roots: list(
      'puert faro rí puent cobr jardin mercad ventan cart piedr alde bosqu inviern señal motor espej alfombr plat fronter médic maestr cocin hil cest isl escaler prad aguj huert bolsill templ vall carr barril vel desiert tel glaciar martill insect chaquet tetera cuer imán nacion papel conej muestr tunel vas nuez amarill ancl botell cañon debat esfuerz fortun horizont viaj caballer leccion oficin benefici registr sombr boleto urban camin acept compar explic segu reun invent medid observ protej reduc selecc verific maravill cant bail cuent nieb fueg luz noch flor sangr pueblo',
    ),
    endings: ['o', 'a', 'os', 'as', 'e', 'ar', 'ado', 'ando', 'ación', 'mente'],
    space: ' ',
    stop: '. ',
    commonPercent: 46,
  },
  {
    name: 'Finnish',
    common: list(
      'ja on ei se että oli hän mutta joka kun ovat niin myös kuin tai sen ole jos hänen mitä vain nyt sitä voi olla mukaan jo kaikki sekä siitä joita vielä mukana kanssa ennen jälkeen vuoden mikä miten siis koko näin toinen',
    ),
    roots: list(
      'satama lyhty joki silta kupari puutarha tori ikkuna kirje kivi kylä metsä talvi merkki kone peili matto hopea raja lääkäri opettaja keittiö lanka kori saari tikas niitty neula tasku satula temppeli laakso vaunu kynttilä aavikko jäätikkö vasara takki pannu nahka magneetti kansa paperi jänis näyte tunneli astia pähkinä ankkuri pullo väittely vaiva onni sora taivas tulo matka ritari tunti toimisto voitto varjo lippu kaupunki tuuli vesi tuli maa ilma kukka lintu kala puu yö päivä laulu tanssi kieli koulu sanoma työ vapaus kuva väri voima',
    ),
    endings: list(
      'n ssa sta an lla lta lle na ksi tta t issa ista iin illa ilta ille ina iksi ssani stasi lleen nsa ssakin staan llakaan',
    ),
    space: ' ',
    stop: '. ',
    commonPercent: 26,
  },
  {
    name: 'Russian',
    common: list(
      'и в не на я что он с как это по но они мы она так его за от все у же было ты вы бы о из к до только ещё для или есть был если уже когда чтобы этот того без можно надо при тоже нет была были их им мне себя там где чем под после через тут ли кто во со ни',
    ),
    roots: list(
      'гаван фонар рек мост мед сад рынк окн письм камн деревн лес зим сигнал мотор зеркал ковр серебр границ врач учител кухн нит корзин остров лестниц луг игл карман седл храм долин вагон свеч пустын ледник молот куртк чайник кож магнит народ бумаг заяц образ тоннел сосуд орех якор бутыл спор удач горизонт доход путешеств рыцар урок бюро прибыл запис тен билет город сравн объясн собир изобрет измер наблюд защит выбор провер удив песн танц язык школ газет работ свобод картин цвет сил воздух музык ноч поряд растен источник',
    ),
    endings: list('а у ой е ы ов ам ами ах ть ла ли ный ная ного ность ение ывать'),
    space: ' ',
    stop: '. ',
    commonPercent: 34,
  },
  {
    name: 'Arabic',
    common: list(
      'في من على أن إلى التي عن لا ما هذا الذي هذه كان مع أو بين كل بعد ذلك قد كما لم ثم هو هي غير حيث عند قبل كانت يكون إذا منذ حتى أكثر أي خلال بعض هناك تم ولا به له فيه عليه منها أنه لكن',
    ),
    roots: list(
      'ميناء فانوس نهر جسر نحاس حديقة سوق نافذة رسالة حجر قرية غابة شتاء إشارة محرك مرآة سجاد فضة حدود طبيب معلم مطبخ خيط سلة جزيرة سلم مرج إبرة بستان جيب معبد وادي عربة برميل شمعة صحراء قماش جليد مطرقة حشرة سترة غلاية جلد مغناطيس أمة ورق أرنب عينة نفق وعاء جوز مرساة زجاجة نقاش جهد حظ أفق دخل رحلة فارس درس مكتب ربح سجل ظل تذكرة مدينة قبول مقارنة شرح متابعة اختراع قياس مراقبة حماية اختيار سفر تحقق أغنية رقص لغة مدرسة جريدة عمل حرية صورة لون قوة هواء موسيقى ليل نظام نبات منبع',
    ),
    endings: ['', '', '', 'ات', 'ين', 'ون', 'هم', 'ها', 'ي'],
    space: ' ',
    stop: '. ',
    commonPercent: 34,
  },
  // The package has no function words for this language.
  {
    name: 'Swahili',
    common: list(
      'ya na wa kwa ni katika za la cha kuwa hii hiyo lakini pia au kama yake wake kila baada kabla ili hata sana tu bado mimi wewe sisi wao yeye hapa huko nini nani wapi lini',
    ),
    roots: list(
      'bandari taa mto daraja shaba bustani soko dirisha barua jiwe kijiji msitu baridi ishara injini kioo zulia fedha mpaka daktari mwalimu jikoni uzi kikapu kisiwa ngazi malisho sindano shamba mfuko hekalu bonde gari pipa mshumaa jangwa kitambaa barafu nyundo mdudu koti birika ngozi sumaku taifa karatasi sungura mfano handaki chombo nanga chupa mjadala juhudi bahati upeo kipato safari somo ofisi faida rekodi kivuli tiketi jiji linganisha eleza fuata kusanya buni pima linda chagua safiri thibitisha imba cheza lugha shule gazeti kazi uhuru picha rangi hewa muziki usiku mmea chanzo',
    ),
    endings: ['', '', '', 'ni', 'ji', 'wa', 'ana'],
    space: ' ',
    stop: '. ',
    commonPercent: 35,
  },
  {
    name: 'Chinese',
    common: list(
      '的 是 在 了 和 有 不 这 我 他 也 就 人 都 说 而 到 为 与 对 上 中 从 被 把 会 可以 一个 没有 我们 他们 因为 所以 但是 如果 已经 还 很 更 最 其 之 以 及 或 等 将 后 前 里',
    ),
    roots: Array.from(
      '港灯河桥铜园市窗信石村林冬号机镜毯银界医师厨线篮岛梯草针袋鞍庙谷车烛漠冰锤虫衣壶皮磁国纸兔样洞器果锚瓶论运平收行骑课室利录影票城接比解跟集创理量观护选旅验歌舞语校报工自画色空乐夜序植源风水火土花鸟鱼木日月山海云雨雪雷电星光声气味香甜苦酸辣咸冷热温凉干湿软硬轻重快慢高低长短宽窄深浅新旧老少男女父母兄弟姐妹朋友邻客主仆王臣军兵战争和胜败攻守枪弹船帆桨轮轨站路街巷楼塔墙门锁钥床桌椅柜箱盒碗盘杯刀叉勺锅炉灶油盐糖醋茶酒米面饭菜肉蛋奶瓜豆麦稻棉麻丝绸布剪尺笔墨砚书章句字词诗文史经哲数形圆方角点体积率式题答问考试练习教育研究科技术设计建造修改变换移动转旋升降进退出入开关起落推拉提放拿给送取买卖租借欠还付费价格税钱币股券金铁钢铝煤矿',
    ),
    endings: list('人 学 化 性 家 员 法 地 物 部 业 力 度 体 场 面'),
    space: '',
    stop: '。',
    commonPercent: 36,
  },
  {
    name: 'Japanese',
    common: list(
      'の は が を に で と も から まで より へ や など です ます した する して いる ある こと もの それ これ その この という として について により ない なる れる られる なかった でも しかし また そして ため よう',
    ),
    roots: [
      ...Array.from(
        '港灯川橋銅庭窓石村森冬鏡銀界医師糸籠島草針袋鞍寺谷車燭漠氷槌虫革磁紙兎洞器果錨瓶論力運平収旅騎授務益影符都比較説明集発測定観察護選択検証歌踊語校聞仕事由絵彩空気音楽夜順序植源泉風水火土花鳥魚木日月山海雲雨雪雷電星光声味香甘苦酸辛冷熱温涼乾湿軟硬軽重速遅高低長短広狭深浅新古老若男女父母兄弟姉妹友隣客主王臣軍兵戦争勝敗攻守砲弾船帆輪軌駅路街楼塔壁門錠鍵床机椅棚箱碗皿杯刀鍋炉油塩糖酢茶酒米麺飯菜肉卵乳豆麦稲綿麻絹布剪尺筆墨書章句字詞詩文史経哲数形円方角点線面体積率式題答問考試練習教育研究科技術設計建造修改変換移動転旋昇降進退出入開閉起落推引提放取給送買売貸借払費価格税銭幣株券金鉄鋼炭鉱',
      ),
      ...list(
        'カメラ テレビ ホテル システム データ グループ センター サービス ニュース コーヒー 思う 見る 聞く 走る 食べる 考える',
      ),
    ],
    endings: ['', '', '', '的', '性', '者', '化', '場', 'さん', 'たち'],
    space: '',
    stop: '。',
    commonPercent: 48,
  },
  {
    name: 'Thai',
    common: list(
      'ที่ การ และ ใน เป็น ของ ได้ มี จะ ไม่ ว่า ให้ ความ กับ มา จาก ไป โดย ก็ แต่ หรือ นี้ คน อยู่ แล้ว ซึ่ง เพื่อ กัน ยัง ถ้า เมื่อ ต้อง อีก มาก ทำ นั้น เขา เรา ผู้ ถึง',
    ),
    roots: list('ก ข ค ง จ ช ซ ด ต ถ ท น บ ป ผ พ ฟ ม ย ร ล ว ส ห อ กร กล ปร พร ตร คร คล หน หม หล').flatMap((initial) =>
      list('า ี ู อ ัน าน ิน ุม อง าก ับ ึก ่าง ้อน ือ ัว ำ ่อย ้ม ่น ียน ือน').map((rhyme) => initial + rhyme),
    ),
    endings: [''],
    space: '',
    stop: ' ',
    commonPercent: 38,
  },
]
