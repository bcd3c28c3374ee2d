"""Kept bytes made small: what the rows of a store have in common is said once, here.

A verdict, a reply or an item is some kilobyte of JSON, of which the names of fields and common
words are the larger part. `deflate` finds those in a dictionary, which is why even a short row
shrinks. Rows from before this are JSON, which begins otherwise, and are read as they are.

The dictionary is a part of the format: a byte of it changed, and no store could be read. Another
one is to get a mark of its own, beside this one.
"""

from __future__ import annotations

import zlib

from adjudge.core.reason import Reason
from adjudge.errors import StoreError

_MARK = b"\x01"  # no JSON begins so
_LEVEL = 4  # a fifth less work than the usual 6, for one byte more in a hundred
_WINDOW = -15  # without a head and a checksum: a database looks after its pages
_BLOCK = bytes(4)  # no block of figures begins so: its head is longer than that
_QUICK = 1
# What is likeliest stands at the end, where it is the nearest.
_DICTIONARY = (
    # Common words of texts and explanations, in the languages of the judges that are built in.
    " about after again all also although always an another any are around as at available be "
    "because been before being best better between both but by can case cannot change check "
    "choose clearly company concise contains context correct could customer date day describes "
    "details different directly due each either email enough even every example explains "
    "factual false few find first following for from further general get good has have he "
    "helpful her here his how if in incorrect instead into irrelevant issue its just know "
    "language later least less like made main make many may mentions might minor more most "
    "much must my name need never new next no not number of often on once one only open or "
    "order other our out over own part people please point possible price problem product "
    "provide question quite rather reader really reason reference relevant request require "
    "same say second see sentence service several should show simple since slightly small so "
    "some something specific state statement still such sure take than thank their them then "
    "there therefore they thing time too true two under unclear understand until up us use "
    "used very want was way we were what when where whether which while who why will with "
    "within without word work would wrong year yes yet you your ai anh ấy bạn bán bao bằng bao "
    "giờ bảo bất bên bị biết bình bởi bước cả các cách cảm ơn cao cần cần thiết câu chắc chậm "
    "chẳng chi tiết chia chính sách chỉ cho chỗ chọn chú chung chúng tôi chuyển chữ chưa có có "
    "thể còn con công ty cơ cụ thể cũng cùng cuộc cuối của dài dẫn dạng danh sách dịch vụ diễn "
    "đạt do dù dùng dữ liệu đã đang đặt đặc biệt đầu đâu đây đến đề nghị đều đi địa chỉ điểm "
    "điện thoại điều định đó đoạn đôi đối với đồng đơn hàng đưa ra đường được em gần gì gia "
    "giá giá trị gian giao hàng giảm giống giới giúp giữa gọi gồm gửi hai hàng hay hãy hàng "
    "ngày hết hệ thống hiện hiểu hình hoàn toàn hoặc hơi hơn hợp lý hỗ trợ hướng dẫn ít kế kể "
    "kết quả khách hàng khi khiến khó khoản khoảng kiểm tra kinh không thể kỹ là làm lại lần "
    "lên lấy liên hệ liên quan lợi loại lớn luôn lúc lưu ý lý do mà mặc dù mạng mất máy mã "
    "mình mọi mỗi mong mới một một cách mua muốn mục mức nào này năm nay nên ngắn gọn ngay "
    "ngày ngoài nghĩa nghiệp người nhà nhắc nhân viên nhận nhanh nhất nhập nhiên nhiều như nhỏ "
    "nhóm nhưng những nó nói nội nơi nữa nước ở phải phản hồi phần phép phí phía phù hợp "
    "phương pháp qua quá quan trọng quy định quyền ra rất riêng rồi sai sản phẩm sao sau sẽ số "
    "sự sử dụng tại tài khoản tài liệu tất cả tên thanh toán thành thay thấy thế theo thêm thì "
    "thiếu thời gian thông tin thực hiện thường tiền tiếp theo tiếng tiêu chí tìm tin tính "
    "toàn bộ tôi tốt trả trang tránh trên trong trợ trước trường từ từng tuy tự tương ứng tức "
    "và vài vấn đề vào vẫn về vì ví dụ việc viết với vụ vừa vui xác nhận xem xin lỗi xử lý ý "
    "yêu cầu 가능 간단 강조 거의 결과 경우 고객 과정 관련 구체적으로 그러나 그리고 기준 까지 "
    "나타내 내용을 논리적 높은 다른 다음 단계 대한 대해 더욱 도움이 되는 되었 됩니다. 때문에 "
    "또한 만들 많은 매우 명확하게 모든 문장 문제 방법 배송 부분 불필요한 비교 사실과 사용 상세 "
    "상황 설명이 세부 수 있도록 수 있습니다. 시간 실제 않고 않습니다. 약간 어떤 없이 에서 여러 "
    "예를 들어 요구 원하는 위해 으로 의미 이러한 이유 이해 일치 있는 있어 있으나 자세 잘못된 "
    "적절 전달 점수 점에서 정도 정보 제시 조금 좋은 주문 주제 중요 지만 직접 질문의 참고 추가 "
    "충분 친절 큰 통해 특히 평가 포함 표현 필요한 하고 하나 하는 하며 하여 합니다. 해당 핵심 "
    "확인 효과 흐름 the user asked for this is that it does not and the answer gives a clear "
    "explanation of the question, however it is missing some important details about how to do "
    "this. The response is accurate and complete, well organised, easy to read and to the "
    "point. It correctly identifies the main issue and provides step-by-step instructions, but "
    "it could be improved by adding more information such as an example. There are no errors. "
    "Overall, the tone is polite and professional, friendly and appropriate for the context. "
    "답변은 질문에 대한 정확한 정보를 제공하고 있으며 사용자가 요청한 내용을 잘 설명합니다. "
    "하지만 구체적인 예시가 부족하고 일부 중요한 내용이 누락되어 있습니다. 전체적으로 명확하고 "
    "이해하기 쉬우며, 친절하고 적절한 어조를 사용했습니다. 다만 설명이 더 필요합니다. 오류가 "
    "없습니다. Câu trả lời đúng với câu hỏi của người dùng, nêu rõ các bước cần làm và dễ "
    "hiểu, nhưng chưa đầy đủ, còn thiếu một số thông tin quan trọng so với đáp án chuẩn. Nội "
    "dung chính xác, không có lỗi nghiêm trọng. Trình bày rõ ràng, mạch lạc, dễ theo dõi. "
    "Giọng điệu lịch sự, chuyên nghiệp, thân thiện và phù hợp. Tuy nhiên, chatbot không giải "
    "thích cách thực hiện cho người hỏi được biết với những trường hợp khác. "
    # Fields of items, and what a model writes.
    '{"context":"","reference":"","response":"","source":"","question":"","answer":"'
    '{\\"evaluation\\": \\"\\", \\"strengths\\": [\\"\\", \\"\\"], \\"weaknesses\\": [\\"\\"], '
    '\\"analysis\\": \\"\\", \\"recommendations\\": [\\"\\"], \\"rating\\": '
    '{"criteria":[{"name":"winner","label":"yes","no","tie"}],"reason":"","comment":"","score":'
    '```json\\n{\\n  \\"flags\\": {\\"accuracy.serious_error\\": false, '
    '\\"completeness.missing_important\\": false, \\"completeness.generic\\": false}, '
    '\\"relevance\\": {\\"explanation\\": \\"\\", \\"score\\": 8.0}, '
    '\\"accuracy\\": {\\"explanation\\": \\"\\", \\"score\\": 7.5}, '
    '\\"completeness\\": {\\"explanation\\": \\"\\", \\"score\\": 9.0}, '
    '\\"clarity\\": {\\"explanation\\": \\"\\", \\"score\\": 8.5}, '
    '\\"tone\\": {\\"explanation\\": \\"\\", \\"score\\": 10.0}}'
    # Rarer parts of verdicts and replies.
    '{"outcome":"unreadable","out_of_range","wrong_language","refused","truncated","too_long",'
    '"provider_error","budget_stopped","reason":{"code":"reply.","fields":{"why":{"code":"'
    '"not_kept","fields":{}}},"confidence":0.,"explanation_outcome":"wrong_language","kind":'
    '"repair","language","sample","question":"","finish":"length","refusal":"","counted":1,'
    '"criterion":"","order":"ab","ba","cuts":{"parts":[{"spread":0.,"flags":{"true","false"},'
    '"cached_tokens":,"reasoning_tokens":,"doubts":[],"fields":{"extra":{'
    '"logprobs":[{"token":"","logprob":-0.,"top":{"'
    # A reply, then a verdict.
    '{"text":"","finish":"stop","usage":{"input_tokens":,"output_tokens":,"cost_usd":null},'
    '"latency_ms":'
    '{"item":"","judge":"gptscore","judge":"preference","judge":"chatbot","judge":"helpfulness",'
    '"fingerprint":"","model":"anthropic/claude-","gemini/gemini-","vllm/","ollama/",'
    '"embedded/","openai/gpt-4o-mini","repeat":1,"outcome":"scored","scores":{"rating":{"outcome":'
    '"scored","value":4,"raw":4,"label":"good","unit":0.75,"explanation":"","span":[696,697]}},'
    '"feedback":{"evaluation":"","strengths":["'
    '"relevance":{"outcome":"scored","value":8.0,"raw":8.0,"unit":0.8,"explanation":"","span":['
    '"accuracy":{"outcome":"scored","value":5.0,"raw":7.0,"rule":"serious-error","unit":0.5,'
    '"explanation":"","span":["completeness":{"outcome":"scored","value":6.0,"raw":7.5,'
    '"rule":"missing-important","unit":0.6,"explanation":"","span":[],"clarity":{"outcome":'
    '"scored","value":9.0,"raw":9.0,"unit":0.9,"explanation":"","span":[]},"tone":{"outcome":'
    '"scored","value":10.0,"raw":10.0,"unit":1.0,"explanation":"","span":[]}},'
    '"notes":[],"usage":{"input_tokens":1200,"output_tokens":180,"cost_usd":0.000'
    '},"attempts":1,"latency_ms":1000.0,"calls":[{"exchanges":[{"reply":"'
    '"[not kept: 0123456789abcdef, 100 characters]"}]}]}'
).encode()


# Most of the time goes into setting up, not into the row: memory is cleared, the dictionary taken
# in. A row that fits beside the dictionary into a smaller window needs less of that, and begins
# with a copy of this. It is as short, and is unpacked in the same way.
_SMALL_WINDOW, _SMALL_MEMORY = -14, 5
_PREPARED = zlib.compressobj(_LEVEL, zlib.DEFLATED, _SMALL_WINDOW, _SMALL_MEMORY, zdict=_DICTIONARY)
_SMALL = 2**14 - len(_DICTIONARY)  # bytes of a row
_TINY = 32  # bytes, of which a packed row would save a few at most


def pack(data: bytes) -> bytes:
    """JSON in fewer bytes; as it is where that is shorter, or hardly longer."""
    if len(data) <= _TINY:
        return data
    if len(data) <= _SMALL:
        packing = _PREPARED.copy()
        packed = _MARK + packing.compress(data) + packing.flush()
    else:
        packed = _MARK + _deflated(data, _LEVEL)
    return packed if len(packed) < len(data) else data


def unpack(kept: bytes) -> bytes:
    """The JSON that was packed, or was kept before there was packing."""
    return _inflated(kept, 1) if kept[:1] == _MARK else kept


def pack_figures(block: bytes) -> bytes:
    """A block of facts.py, of which there are few and large ones."""
    return _BLOCK + _deflated(block, _QUICK)


def unpack_figures(kept: bytes) -> bytes:
    return _inflated(kept, len(_BLOCK)) if kept.startswith(_BLOCK) else kept


def _deflated(data: bytes, level: int) -> bytes:
    packing = zlib.compressobj(level, zlib.DEFLATED, _WINDOW, zdict=_DICTIONARY)
    return packing.compress(data) + packing.flush()


def _inflated(kept: bytes, start: int) -> bytes:
    """StoreError where it is damaged."""
    unpacking = zlib.decompressobj(_WINDOW, _DICTIONARY)
    try:
        data = unpacking.decompress(memoryview(kept)[start:])
    except zlib.error:
        data = b""
    if not unpacking.eof:
        raise StoreError(Reason("store.row_damaged"))
    return data
